/** The parser, for whoever has a file to read: most machines have none. */
export { parseTree, printParseErrorCode } from 'jsonc-parser';
