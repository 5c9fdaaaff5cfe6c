/** The library, for whoever has front matter to read. */
export { parse, parseDocument } from 'yaml';
