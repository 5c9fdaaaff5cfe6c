import type { OperationResponse, Session, Workspace } from '@agent-mux/api/browser';
import { GitCommitHorizontal, GitMerge, Undo2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { FormActions } from '../../../components/form-actions.tsx';
import { titleOf } from '../../../components/labels.logic.ts';
import { Button } from '../../../components/primitives.tsx';
import { showToast } from '../../../components/toasts.tsx';
import { CallError, call } from '../../../data/call.ts';

type Worktree = Extract<Workspace, { kind: 'worktree' }>;
type Outcome = OperationResponse<'mergeWorktree'>;
type Step = 'commit' | 'merge' | 'discard';

interface BarProps {
  session: Session;
  worktree: Worktree;
  hasChanges: boolean;
  onDone(): void;
}

/** Commit, merge and discard actions of a worktree. Each reports its result, or why it failed and what to do. */
export function WorktreeBar({ session, worktree, hasChanges, onDone }: BarProps) {
  const [dialog, setDialog] = useState<Step | null>(null);
  const [failure, setFailure] = useState<CallError | Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const base = worktree.baseBranch ?? 'its base branch';
  const run = async (work: () => Promise<Outcome>, onSuccess: (outcome: Outcome) => void) => {
    setBusy(true);
    setFailure(null);
    try {
      onSuccess(await work());
      onDone();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
      setDialog(null);
    }
  };
  const params = { id: session.id };
  return (
    <>
      <div className="worktree-bar">
        <Button disabled={isBusy || !hasChanges} onClick={() => setDialog('commit')}>
          <GitCommitHorizontal />
          Commit…
        </Button>
        <Button disabled={isBusy || !hasChanges} onClick={() => setDialog('merge')}>
          <GitMerge />
          Merge…
        </Button>
        <Button look="danger" disabled={isBusy || !hasChanges} onClick={() => setDialog('discard')}>
          <Undo2 />
          Discard…
        </Button>
      </div>
      {failure ? (
        <div className="error-box" data-tone="error" role="alert">
          <p>{failure.message}</p>
          {failure instanceof CallError && failure.hint !== undefined ? <p className="muted">{failure.hint}</p> : null}
        </div>
      ) : null}
      {dialog === 'commit' ? (
        <MessageDialog
          title="Commit"
          description={`Commits all uncommitted work, including new files, to ${worktree.branch}.`}
          session={session}
          isBusy={isBusy}
          onClose={() => setDialog(null)}
          onMessage={(message) =>
            run(
              () => call('commitWorktree', { params, body: { message } }),
              ({ commit }) => showToast(commit === null ? 'Nothing to commit' : `Committed ${commit.slice(0, 10)}`),
            )
          }
        />
      ) : null}
      {dialog === 'merge' ? (
        <MessageDialog
          title="Merge"
          description={`Commits uncommitted work to ${worktree.branch} and merges ${worktree.branch} into ${base}, in one step. If both changed the same lines, nothing is committed or merged.`}
          session={session}
          isBusy={isBusy}
          onClose={() => setDialog(null)}
          onMessage={(message) =>
            run(
              () => call('mergeWorktree', { params, body: { message, commit: true } }),
              ({ into }) => showToast(`Merged into ${into ?? base}`),
            )
          }
        />
      ) : null}
      {dialog === 'discard' ? (
        <Dialog title="Discard this work?" size="small" onClose={() => setDialog(null)}>
          <div className="form">
            <p>
              Resets the worktree to its base commit and removes its commits and uncommitted work. Everything is saved
              on a ref; use <code>git checkout</code> to restore it.
            </p>
            <div className="form-actions">
              <Button onClick={() => setDialog(null)}>Cancel</Button>
              <Button
                look="danger"
                disabled={isBusy}
                onClick={() =>
                  void run(
                    () => call('discardWorktree', { params }),
                    ({ savedRef }) =>
                      showToast('Discarded', { hint: savedRef === null ? undefined : `Saved on ${savedRef}` }),
                  )
                }
              >
                Discard
              </Button>
            </div>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

interface MessageProps {
  title: string;
  description: string;
  session: Session;
  isBusy: boolean;
  onClose(): void;
  onMessage(message: string): Promise<void>;
}

function MessageDialog({ title, description, session, isBusy, onClose, onMessage }: MessageProps) {
  const [message, setMessage] = useState(titleOf(session));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onMessage(message.trim());
  };
  return (
    <Dialog title={title} size="small" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p className="muted">{description}</p>
        <label className="field">
          <span>Commit message</span>
          <textarea
            className="input"
            rows={3}
            maxLength={10_000}
            required
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
        </label>
        <FormActions label={title} isDisabled={isBusy || message.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
