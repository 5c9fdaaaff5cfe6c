/** The YAML library, loaded only for reading front matter. */
export { parse, parseDocument } from 'yaml';
