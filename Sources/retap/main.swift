import RetapCommand

CommandLineTool.main()
