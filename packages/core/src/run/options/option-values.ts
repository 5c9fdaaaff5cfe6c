import { z } from 'zod';
import { hasControl, LONGEST_VALUE } from './plain-line.ts';

/*
 * What a value of a run option may contain, whether a caller, a profile or an agent definition sets it. Each ends up on
 * a command line, in a file or in a protocol of some agent, and must stay one value there.
 *
 * | kind       | for                                               | not allowed                                   |
 * |------------|---------------------------------------------------|-----------------------------------------------|
 * | word       | names: model, mode, agent, profile, tags, ...     | a leading dash, control characters            |
 * | tool       | allowedTools, deniedTools                         | the same, `,` or blanks outside of `(...)`    |
 * | session    | sessionId, forkSessionId                          | the same, a path, an alias such as `last`     |
 * | path       | cwd, addDirs, skills, attachments, tracePath      | control characters; made absolute before use  |
 * | remoteName | host, user, image, pod, namespace, container      | anything that a client or a shell would parse |
 * | line       | a command, a header                               | control characters                            |
 * | text       | prompt, systemPrompt, arguments of an MCP server  | NUL                                           |
 */

export const text: z.ZodString = z
  .string()
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character');

export const line: z.ZodString = z
  .string()
  .min(1)
  .max(LONGEST_VALUE)
  .refine((value) => !hasControl(value), 'must not contain control characters or line breaks')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

/** Unlike a word, a path may start with a dash: it is made absolute before use. */
export const path: z.ZodString = line.refine((value) => value.trim() !== '', 'must not be blank');

export const word: z.ZodString = line.refine(
  (value) => !value.startsWith('-'),
  'must not start with -: it would be read as a flag',
);

/**
 * `Bash`, `mcp__server__tool`, `Bash(git log *)`: several CLIs split a list at commas and blanks outside parentheses.
 */
export const tool: z.ZodString = word.refine(
  (value) => !/[\s,]/.test(outsideBrackets(value)),
  'must be one tool: commas and blanks are allowed only inside (...)',
);

/** A parenthesis ends at the first closing one, as in the CLIs. */
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

/** Aliases that some CLI accepts instead of a session id. */
const SESSION_ALIASES = /^(?:last|latest|newest|recent|previous|current)$/i;

export const session: z.ZodString = word
  .refine(
    (value) => !/[\s/\\]/.test(value) && !/^[.~@]/.test(value),
    'must be a session id without blanks or path characters',
  )
  .refine((value) => !SESSION_ALIASES.test(value), 'must be an exact session id, not an alias');

/**
 * `user`, `host.example`, `[::1]`, `registry/image:tag@sha256:...`: no blanks, and nothing that a shell would expand.
 */
export const remoteName: z.ZodString = line.regex(
  /^[\w[:][\w.@:%+~/[\]-]*$/,
  'must be a plain name that does not start with -',
);
