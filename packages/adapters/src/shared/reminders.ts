const OPEN = '<system-reminder>';
const CLOSE = '</system-reminder>';

/** Reminders are vendor text for the model that some CLIs put into prompts and results. One without an end stays. */
export function withoutReminders(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let start = text.indexOf(OPEN); start !== -1; start = text.indexOf(OPEN, at)) {
    const end = text.indexOf(CLOSE, start);
    if (end === -1) break;
    kept.push(text.slice(at, start));
    at = end + CLOSE.length;
    while (at < text.length && text.charAt(at).trim() === '') at += 1;
  }
  return at === 0 ? text : kept.join('') + text.slice(at);
}
