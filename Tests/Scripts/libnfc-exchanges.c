// The same exchanges as `reader-client usb: open exchanges:N close`, by libnfc: for `make bench`.
//   gcc -O2 libnfc-exchanges.c -o libnfc-exchanges -lnfc
#include <nfc/nfc.h>
#include <stdio.h>
#include <stdlib.h>

// Exported by libnfc, declared in a header that it does not install (libnfc/chips/pn53x.h).
int pn53x_transceive(nfc_device *device, const uint8_t *sent, const size_t sentLength,
                     uint8_t *received, const size_t room, int timeout);

int main(int count, char **words) {
  const int exchanges = count > 1 ? atoi(words[1]) : 1000;
  nfc_context *context = NULL;
  nfc_init(&context);
  nfc_device *device = context ? nfc_open(context, NULL) : NULL;
  if (!device) return 1;
  const uint8_t getFirmwareVersion[] = {0x02};
  uint8_t answer[16];
  int failed = 0;
  for (int number = 0; number < exchanges; number++)
    // 1000 ms: libnfc takes 200 ms off before it reads for the first time.
    failed += pn53x_transceive(device, getFirmwareVersion, 1, answer, sizeof answer, 1000) < 4;
  printf("libnfc: %d exchanges, %d failed\n", exchanges, failed);
  nfc_close(device);
  nfc_exit(context);
  return failed != 0;
}
