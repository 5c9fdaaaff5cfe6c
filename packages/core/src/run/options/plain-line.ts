/** Longer than any name or path of an agent, and far below the maximum length of an argument. */
export const LONGEST_VALUE = 4096;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** True for text that fits on one line: the kind `line` of option-values.ts, for text from agents. */
export function isLine(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= LONGEST_VALUE &&
    !hasControl(value) &&
    value.isWellFormed()
  );
}
