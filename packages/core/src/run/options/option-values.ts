import { z } from 'zod';
import { hasControl, LONGEST_VALUE } from './plain-line.ts';

/*
 * What a value of a run option may hold, whoever says it: a caller, a profile, an agent definition. Each ends up on a
 * command line, in a file or in a protocol of some agent, and must stay one value there.
 *
 * | kind       | of                                                        | not                                            |
 * |------------|-----------------------------------------------------------|------------------------------------------------|
 * | word       | names: model, mode, agent, profile, permission mode, tags | a dash at the beginning, control characters    |
 * | tool       | allowedTools, deniedTools                                 | the same, nor `,` and blanks outside of `(...)` |
 * | session    | sessionId, forkSessionId                                  | the same, nor a path, nor a word for another   |
 * | path       | cwd, addDirs, skills, attachments, tracePath              | control characters; made absolute before use   |
 * | place      | host, user, image, pod, namespace, container              | anything that a client or a shell would parse  |
 * | line       | a command, a header                                       | control characters                             |
 * | text       | prompt, systemPrompt, arguments of an MCP server          | NUL                                            |
 */

export const text: z.ZodString = z.string().refine((value) => !value.includes('\0'), 'must not hold a NUL character');

export const line: z.ZodString = z
  .string()
  .min(1)
  .max(LONGEST_VALUE)
  .refine((value) => !hasControl(value), 'must not hold control characters or line breaks')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

/** May begin with a dash, unlike a word: it is made absolute before anybody gets it. */
export const path: z.ZodString = line.refine((value) => value.trim() !== '', 'must not be blank');

export const word: z.ZodString = line.refine(
  (value) => !value.startsWith('-'),
  'must not begin with -: it would be read as a flag',
);

/** `Bash`, `mcp__server__tool`, `Bash(git log *)`: several CLIs part a list at commas and blanks that are not in brackets. */
export const tool: z.ZodString = word.refine(
  (value) => !/[\s,]/.test(outsideBrackets(value)),
  'must be one tool: commas and blanks may stand in (...) only',
);

/** A bracket ends at the first that closes, as for the CLIs. */
function outsideBrackets(value: string): string {
  let outside = '';
  let at = 0;
  for (;;) {
    const opens = value.indexOf('(', at);
    const closes = opens === -1 ? -1 : value.indexOf(')', opens);
    if (closes === -1) return outside + value.slice(at);
    outside += value.slice(at, opens);
    at = closes + 1;
  }
}

/** What some CLI takes for the newest session, or another one, in place of an id. */
const WORDS_FOR_A_SESSION = /^(?:last|latest|newest|recent|previous|current)$/i;

export const session: z.ZodString = word
  .refine((value) => !/[\s/\\]/.test(value) && !/^[.~@]/.test(value), 'must be the id of a session: no path, no blanks')
  .refine((value) => !WORDS_FOR_A_SESSION.test(value), 'must be the exact id of a session, not a word for one');

/** `user`, `host.example`, `[::1]`, `registry/image:tag@sha256:...`: no blank, and nothing that a shell would expand. */
export const place: z.ZodString = line.regex(/^[\w[:][\w.@:%+~/[\]-]*$/, 'must be a plain name, and not begin with -');
