/** The JSONC parser, loaded only if there is a file to parse: most machines have none. */
export { parseTree, printParseErrorCode } from 'jsonc-parser';
