/** The pages that are made from the types: docs/reference and docs/json. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openTypes } from './compiler.ts';
import { jsonSchemas, SCHEMA_FOLDER } from './json-schemas.ts';
import { clientPage } from './reference/client-page.ts';
import { errorsPage } from './reference/error-page.ts';
import { eventsPage } from './reference/event-page.ts';
import { handlePage, optionsPage, resultPage } from './reference/run-pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'docs/reference';

/** Their texts, by the names of the files. */
export function referencePages(): Map<string, string> {
  const types = openTypes();
  try {
    return new Map([
      [`${FOLDER}/client.md`, clientPage(types)],
      [`${FOLDER}/run-options.md`, optionsPage(types)],
      [`${FOLDER}/run-handle.md`, handlePage(types)],
      [`${FOLDER}/run-result.md`, resultPage(types)],
      [`${FOLDER}/events.md`, eventsPage(types)],
      [`${FOLDER}/errors.md`, errorsPage(types)],
      ...jsonSchemas(types),
    ]);
  } finally {
    types.close();
  }
}

/** Files that are no longer generated. */
export function staleFiles(pages: ReadonlyMap<string, string>): string[] {
  return [FOLDER, SCHEMA_FOLDER].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .map((name) => `${folder}/${name}`)
      .filter((file) => !pages.has(file))
      .map((file) => `${file} is no longer generated: delete it`),
  );
}
