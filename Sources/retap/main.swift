print("retap")
