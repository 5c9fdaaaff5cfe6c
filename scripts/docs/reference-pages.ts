/** The pages that are made from the types: docs/json. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openTypes } from './compiler.ts';
import { jsonSchemas, SCHEMA_FOLDER } from './json-schemas.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Their texts, by the names of the files. */
export function referencePages(): Map<string, string> {
  const types = openTypes();
  try {
    return new Map([...jsonSchemas(types)]);
  } finally {
    types.close();
  }
}

/** What nobody makes any more. */
export function staleFiles(pages: ReadonlyMap<string, string>): string[] {
  return [SCHEMA_FOLDER].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .map((name) => `${folder}/${name}`)
      .filter((file) => !pages.has(file))
      .map((file) => `${file} is made from nothing any more: delete it`),
  );
}
