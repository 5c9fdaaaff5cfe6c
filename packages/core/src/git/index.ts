export { GitError } from './git-error.ts';
export {
  branchOf,
  findRepository,
  findWorktree,
  type GitLocation,
  isRepository,
  listWorktrees,
} from './locate.ts';
export { type OpenRepository, withRepository } from './repository.ts';
export type { GitAnswer } from './run-git.ts';
