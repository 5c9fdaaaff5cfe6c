/** A value as inline TOML, for `-c key=value`. JSON's strings are TOML's, but for the one control character that JSON leaves alone. */
export function inlineToml(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed()).replaceAll('\u007f', '\\u007f');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(', ')}]`;
  const entries = Object.entries(value ?? {}).filter(([, inner]) => inner !== undefined && inner !== null);
  return `{${entries.map(([key, inner]) => `${inlineToml(key)} = ${inlineToml(inner)}`).join(', ')}}`;
}
