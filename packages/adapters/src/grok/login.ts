import { type Json, record, text, word } from '../shared/json.ts';

/** auth.json of 1.0.41: one login per server. */
function loginsIn(content: unknown): Json[] {
  return Object.values(record(content)).map(record);
}

export function loginIdentity(content: unknown): string | undefined {
  return loginsIn(content)
    .map(({ email }) => word(email))
    .find((email) => email !== undefined);
}

/** A login with a refresh token is renewed when it expires; without one it becomes invalid. */
export function loginEnd(content: unknown): number | undefined {
  const logins = loginsIn(content);
  if (logins.some((login) => word(login.refresh_token) || !word(login.expires_at))) return undefined;
  const ends = logins.map((login) => Date.parse(text(login.expires_at) ?? '')).filter((end) => !Number.isNaN(end));
  return ends.length === 0 ? undefined : Math.max(...ends);
}
