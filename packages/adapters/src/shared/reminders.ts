const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;

/** Reminders are words of the vendor to the model that some CLIs put into prompts and results. */
export function withoutReminders(text: string): string {
  return text.includes('<system-reminder>') ? text.replace(REMINDER, '') : text;
}
