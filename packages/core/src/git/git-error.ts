/** Git failed, or the repository is not safe to run git on. */
export class GitError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'GitError';
    this.hint = options.hint;
  }
}
