/** In minutes since midnight; may span midnight. */
export interface QuietHours {
  from: number;
  to: number;
}

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** Parses `22:00-07:00`, in the local time zone. */
export function parseQuietHours(text: string): QuietHours | null {
  const [first = '', second = '', ...rest] = text.split('-');
  const [from, to] = [first, second].map(minuteOf);
  if (rest.length > 0 || from === undefined || to === undefined || from === to) return null;
  return { from, to };
}

/** End of the current quiet hours; null outside of them. */
export function quietUntil({ from, to }: QuietHours, now: number): number | null {
  const at = new Date(now);
  const minute = at.getHours() * 60 + at.getMinutes();
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return null;
  const endsTomorrow = minute >= to;
  const day = at.getDate() + (endsTomorrow ? 1 : 0);
  return new Date(at.getFullYear(), at.getMonth(), day, Math.floor(to / 60), to % 60).getTime();
}

function minuteOf(text: string): number | undefined {
  const found = TIME.exec(text.trim());
  return found ? Number(found[1]) * 60 + Number(found[2]) : undefined;
}
