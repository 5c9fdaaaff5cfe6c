import { type Document, parseDocument } from 'yaml';
import type { ConfigCodec } from './config-codecs.ts';

export const YAML_CODEC: ConfigCodec = {
  parse(text) {
    const document = parseDocument(text);
    const [first] = document.errors;
    if (first) throw first;
    return document.toJS() ?? {};
  },
  edit(text, changes) {
    const document: Document = parseDocument(text);
    for (const { path, value } of changes) {
      if (value === undefined) document.deleteIn(path);
      else if (document.contents === null) document.contents = document.createNode(nested(path, value));
      else document.setIn(path, document.createNode(value));
    }
    return document.toString({ lineWidth: 0 });
  },
};

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}
