import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { z } from 'zod';
import type { Connection } from './connection.ts';

/** How a field is encoded in its column. */
export type Form = 'plain' | 'flag' | 'json';
type SqlRow = Record<string, SQLOutputValue>;

/** A table: its name, its fields, and the schema of its rows. */
export interface Table<Row> {
  readonly name: string;
  readonly columns: ReadonlyMap<string, Column>;
  readonly schema: z.ZodType<Row>;
  /** Validates changes: a partial version of the row schema. */
  readonly fields: z.ZodType<Partial<Row>>;
}

interface Column {
  field: string;
  name: string;
  form: Form;
}

export function defineTable<Row>(
  name: string,
  forms: Readonly<Record<keyof Row & string, Form>>,
  schema: z.ZodType<Row> & { partial(): z.ZodType<Partial<Row>> },
): Table<Row> {
  const columns = Object.entries<Form>(forms).map(([field, form]) => ({ field, form, name: columnName(field) }));
  const byField = new Map(columns.map((column) => [column.field, column]));
  return { name, columns: byField, schema, fields: schema.partial() };
}

function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function insertRow<Row>(connection: Connection, table: Table<Row>, row: Partial<Row>, rev: number): void {
  const { names, values } = encode(table, row);
  const columns = [...names, 'rev'];
  connection
    .prepare(
      `INSERT INTO ${table.name} (${columns.map(quote).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    .run(...values, rev);
}

/** Sets the given fields of the row that matches `where`. */
export function updateRow<Row>(
  connection: Connection,
  table: Table<Row>,
  change: Partial<Row>,
  rev: number,
  where: { sql: string; values: readonly SQLInputValue[] },
): void {
  const { names, values } = encode(table, change);
  const set = [...names, 'rev'].map((name) => `${quote(name)} = ?`).join(', ');
  connection.prepare(`UPDATE ${table.name} SET ${set} WHERE ${where.sql}`).run(...values, rev, ...where.values);
}

export function isEmptyChange(change: object): boolean {
  return Object.values(change).every((value) => value === undefined);
}

/** Throws on invalid values, so that no unreadable row is written. */
function encode<Row>(table: Table<Row>, options: Partial<Row>): { names: string[]; values: SQLInputValue[] } {
  const checked = table.fields.safeParse(options);
  if (!checked.success) throw new TypeError(`not a row of ${table.name}: ${describeIssues(checked.error)}`);
  const names: string[] = [];
  const values: SQLInputValue[] = [];
  for (const [field, value] of Object.entries(options)) {
    const column = table.columns.get(field);
    if (!column || value === undefined) continue;
    names.push(column.name);
    values.push(encodeField(column.form, value));
  }
  return { names, values };
}

function encodeField(form: Form, value: unknown): SQLInputValue {
  if (value === null) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'flag') return value === true ? 1 : 0;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`a column cannot hold a value of type ${typeof value}`);
}

/** Null if the row is corrupt, which is reported. A corrupt row does not hide the others. */
export function decodeRow<Row>(connection: Connection, table: Table<Row>, row: SqlRow): Row | null {
  try {
    const fields: Record<string, unknown> = {};
    for (const { field, name, form } of table.columns.values()) fields[field] = decodeField(form, row[name] ?? null);
    const checked = table.schema.safeParse(fields);
    if (checked.success) return checked.data;
    throw new TypeError(describeIssues(checked.error));
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    connection.report(`skipping corrupt row ${String(row.id)} of ${table.name}: ${why}`);
    return null;
  }
}

export function decodeRows<Row>(connection: Connection, table: Table<Row>, rows: readonly SqlRow[]): Row[] {
  return rows.map((row) => decodeRow(connection, table, row)).filter((row) => row !== null);
}

function decodeField(form: Form, value: SQLOutputValue): unknown {
  if (value === null) return null;
  if (form === 'flag') return value === 1;
  return form === 'json' ? JSON.parse(String(value)) : value;
}

function quote(column: string): string {
  return `"${column}"`;
}

function describeIssues(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
