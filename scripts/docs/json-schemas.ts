/** docs/json: a JSON Schema for what each command of amux prints with `--json`, from the types in packages/cli/src/json. */
import type { Type } from 'typescript/unstable/sync';
import { commentOf, type Types } from './compiler.ts';
import { schemaDocument } from './json-schema.ts';

const DOCUMENTS = 'packages/cli/src/json/documents.ts';
export const SCHEMA_FOLDER = 'docs/json';

interface Output {
  /** The command and its action. */
  name: string;
  comment: string;
  type: Type;
  how: string;
}

/** The files by their names, and the page that lists them. */
export function jsonSchemas(types: Types): Map<string, string> {
  const documents = outputsOf(types, 'JsonDocuments', 'One document.');
  const lines = outputsOf(types, 'JsonLines', 'Each line is one of these.');
  const files = new Map<string, string>();
  for (const { name, comment, type, how } of [...documents, ...lines]) {
    const about = { title: `amux ${name} --json`, description: [how, comment].filter(Boolean).join(' ') };
    files.set(`${SCHEMA_FOLDER}/${schemaFile(name)}`, textOf(schemaDocument(types, type, about)));
  }
  const error = types.exported(DOCUMENTS, 'ErrorLine');
  const about = { title: 'amux --json that failed', description: commentOf(types, error) };
  const schema = schemaDocument(types, types.checker.getDeclaredTypeOfSymbol(error), about);
  files.set(`${SCHEMA_FOLDER}/error.schema.json`, textOf(schema));
  files.set(`${SCHEMA_FOLDER}/README.md`, page(documents, lines));
  return files;
}

function outputsOf(types: Types, table: string, how: string): Output[] {
  const { checker } = types;
  const all = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(types.exported(DOCUMENTS, table)));
  return all.map((output) => {
    const type = checker.getTypeOfSymbol(output);
    if (!type) throw new Error(`${table} does not say what "${output.name}" is`);
    return { name: output.name, comment: commentOf(types, output), type, how };
  });
}

function schemaFile(output: string): string {
  return `${output.replaceAll(' ', '-')}.schema.json`;
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function page(documents: readonly Output[], lines: readonly Output[]): string {
  const table = (outputs: readonly Output[]) =>
    [
      '| command | schema | |',
      '|---|---|---|',
      ...outputs.map(
        ({ name, comment }) => `| \`amux ${name}\` | [${schemaFile(name)}](${schemaFile(name)}) | ${comment} |`,
      ),
    ].join('\n');
  return `# What \`amux ... --json\` prints

Made by \`npm run docs\` from \`packages/cli/src/json/documents.ts\`; the tests hold every command to it. JSON Schema, draft 2020-12, one
file for each command and action, each complete in itself.

- A list is an array with a name, within an object: \`{ "agents": [...] }\`. Nothing prints a bare array.
- Further fields may come with any release, further values of \`type\` and of error codes too; those that are here stay.
- What is not known is \`null\`, never 0 or an empty text. A field that need not be there is absent.
- A command that fails without a result prints one line of [error.schema.json](error.schema.json) instead.
- Times are milliseconds since the epoch, unless the name says otherwise (\`durationMs\`); money is US dollars.

## One document
${table(documents)}

## Lines
${table(lines)}
`;
}
