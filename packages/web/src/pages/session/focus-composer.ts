/** Puts the cursor into the message that is being written. */
export function focusComposer(): void {
  document.querySelector<HTMLTextAreaElement>('.composer textarea')?.focus();
}
