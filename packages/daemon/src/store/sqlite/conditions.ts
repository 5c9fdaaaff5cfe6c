import type { SQLInputValue } from 'node:sqlite';

/** What a query asks for, gathered field by field; a field that is not given asks for nothing. */
export interface Conditions {
  readonly values: SQLInputValue[];
  add(sql: string, ...values: SQLInputValue[]): void;
  where(): string;
}

export function gatherConditions(): Conditions {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  return {
    values,
    add: (sql, ...given) => {
      parts.push(sql);
      values.push(...given);
    },
    where: () => (parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : ''),
  };
}

/** By a range, which an index serves, and in which `%` and `_` mean nothing. */
export function addPrefix(conditions: Conditions, column: 'id' | 'native_id', prefix: string): void {
  conditions.add(`(${column} >= ? AND ${column} < ?)`, prefix, `${prefix}\u{10ffff}`);
}

export function addAnyOf(conditions: Conditions, column: string, values: readonly string[]): void {
  conditions.add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
}
