import { type Json, parseRecord, text } from './json.ts';

/** What a token says of its bearer. Nobody checks its signature here: it is read from the user's own file, and only told. */
export function jwtClaims(token: unknown): Json {
  const payload = text(token)?.split('.')[1];
  return (payload && parseRecord(Buffer.from(payload, 'base64url').toString('utf8'))) || {};
}
