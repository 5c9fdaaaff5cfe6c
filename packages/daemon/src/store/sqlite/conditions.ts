import type { SQLInputValue } from 'node:sqlite';

/** SQL conditions of a query, added field by field. */
export interface Conditions {
  readonly values: SQLInputValue[];
  add(sql: string, ...values: SQLInputValue[]): void;
  where(): string;
}

export function createConditions(): Conditions {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  return {
    values,
    add: (sql, ...options) => {
      parts.push(sql);
      values.push(...options);
    },
    where: () => (parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : ''),
  };
}

/** Uses a range, which can use an index and has no wildcards. */
export function addPrefix(conditions: Conditions, column: 'id' | 'agent_session_id', prefix: string): void {
  conditions.add(`(${column} >= ? AND ${column} < ?)`, prefix, `${prefix}\u{10ffff}`);
}

export function addAnyOf(conditions: Conditions, column: string, values: readonly string[]): void {
  conditions.add(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values));
}
