/**
 * A value as inline TOML, for `-c key=value`. JSON strings are valid TOML, except for one control character that JSON
 * does not escape.
 */
export function inlineToml(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(', ')}]`;
  const entries = Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined && inner !== null);
  return `{${entries.map(([key, inner]) => `${inlineToml(key)} = ${inlineToml(inner)}`).join(', ')}}`;
}
