/** No name and no path of any agent comes near it; far below what a single argument may have. */
export const LONGEST_VALUE = 4096;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** What may stand on a line of its own: the kind `line` of option-values.ts, for what agents say. */
export function isLine(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= LONGEST_VALUE &&
    !hasControl(value) &&
    value.isWellFormed()
  );
}
