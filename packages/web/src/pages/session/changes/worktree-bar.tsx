import type { AnswerOf, Session, Workspace } from '@agent-mux/api/browser';
import { GitCommitHorizontal, GitMerge, Undo2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { CallError, call } from '../../../data/call.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormActions } from '../../../parts/form-actions.tsx';
import { Button } from '../../../parts/small.tsx';
import { tell } from '../../../parts/toasts.tsx';
import { titleOf } from '../../../parts/words.logic.ts';

type Worktree = Extract<Workspace, { kind: 'worktree' }>;
type Outcome = AnswerOf<'mergeWorktree'>;
type Step = 'commit' | 'merge' | 'discard';

interface BarProps {
  session: Session;
  worktree: Worktree;
  hasChanges: boolean;
  onDone(): void;
}

/** What becomes of the work: each step says what it did, or why it was refused and what to do. */
export function WorktreeBar({ session, worktree, hasChanges, onDone }: BarProps) {
  const [asks, setAsks] = useState<Step | null>(null);
  const [fault, setFault] = useState<CallError | Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const base = worktree.baseBranch ?? 'the branch that it began from';
  const run = async (work: () => Promise<Outcome>, say: (outcome: Outcome) => void) => {
    setBusy(true);
    setFault(null);
    try {
      say(await work());
      onDone();
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setBusy(false);
      setAsks(null);
    }
  };
  const params = { id: session.id };
  return (
    <>
      <div className="worktree-bar">
        <Button disabled={isBusy || !hasChanges} onClick={() => setAsks('commit')}>
          <GitCommitHorizontal />
          Commit…
        </Button>
        <Button disabled={isBusy || !hasChanges} onClick={() => setAsks('merge')}>
          <GitMerge />
          Merge…
        </Button>
        <Button look="danger" disabled={isBusy || !hasChanges} onClick={() => setAsks('discard')}>
          <Undo2 />
          Discard…
        </Button>
      </div>
      {fault ? (
        <div className="trouble" data-tone="error" role="alert">
          <p>{fault.message}</p>
          {fault instanceof CallError && fault.hint !== undefined ? <p className="muted">{fault.hint}</p> : null}
        </div>
      ) : null}
      {asks === 'commit' ? (
        <MessageDialog
          title="Commit"
          about={`All uncommitted work, new files too, goes to ${worktree.branch}.`}
          session={session}
          isBusy={isBusy}
          onClose={() => setAsks(null)}
          onGiven={(message) =>
            run(
              () => call('commitWorktree', { params, body: { message } }),
              ({ commit }) =>
                tell(commit === null ? 'There was nothing to commit' : `Committed ${commit.slice(0, 10)}`),
            )
          }
        />
      ) : null}
      {asks === 'merge' ? (
        <MessageDialog
          title="Merge"
          about={`Uncommitted work is committed to ${worktree.branch}, and all of ${worktree.branch} is merged into ${base}, in one step. If both changed the same lines, nothing is committed or merged.`}
          session={session}
          isBusy={isBusy}
          onClose={() => setAsks(null)}
          onGiven={(message) =>
            run(
              () => call('mergeWorktree', { params, body: { message, commit: true } }),
              ({ into }) => tell(`Merged into ${into ?? base}`),
            )
          }
        />
      ) : null}
      {asks === 'discard' ? (
        <Dialog title="Discard this work?" size="small" onClose={() => setAsks(null)}>
          <div className="form">
            <p>
              The worktree goes back to how it began, its commits and uncommitted work are gone from it. All of it is
              kept on a ref, from which <code>git checkout</code> brings it back.
            </p>
            <div className="form-actions">
              <Button onClick={() => setAsks(null)}>Keep it</Button>
              <Button
                look="danger"
                disabled={isBusy}
                onClick={() =>
                  void run(
                    () => call('discardWorktree', { params }),
                    ({ savedRef }) =>
                      tell('Discarded', { hint: savedRef === null ? undefined : `it is kept on ${savedRef}` }),
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
  about: string;
  session: Session;
  isBusy: boolean;
  onClose(): void;
  onGiven(message: string): Promise<void>;
}

function MessageDialog({ title, about, session, isBusy, onClose, onGiven }: MessageProps) {
  const [message, setMessage] = useState(titleOf(session));
  const give = (event: FormEvent) => {
    event.preventDefault();
    void onGiven(message.trim());
  };
  return (
    <Dialog title={title} size="small" onClose={onClose}>
      <form className="form" onSubmit={give}>
        <p className="muted">{about}</p>
        <label className="field">
          <span>Message of the commit</span>
          <textarea
            className="input"
            rows={3}
            maxLength={10_000}
            required
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
        </label>
        <FormActions word={title} isDisabled={isBusy || message.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
