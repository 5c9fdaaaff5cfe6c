import type { Session } from '@agent-mux/api/browser';
import { type FormEvent, useState } from 'react';
import { changeSession } from './actions.ts';
import { AmountFields } from './amount-fields.tsx';
import { Dialog } from './dialog.tsx';
import { FormActions } from './form-actions.tsx';
import { moneyOf, tokensOf } from './format.logic.ts';
import { amountTexts, readAmounts } from './limit.logic.ts';
import { Button } from './primitives.tsx';
import { showToast } from './toasts.tsx';

/** Edits the budget of a session. Nothing is sent to the session once the budget is used up. */
export function SessionBudget({ session, onClose }: { session: Session; onClose(): void }) {
  const { id, budget, costUsd, costSource, usage, limit } = session;
  const [amounts, setAmounts] = useState(amountTexts(budget));
  const [issue, setIssue] = useState<string | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readAmounts(amounts);
    if (typeof read === 'string') setIssue(read);
    else if (await changeSession(id, { budget: read })) {
      showToast('Budget saved');
      onClose();
    }
  };
  const clear = async () => {
    if (await changeSession(id, { budget: null })) onClose();
  };
  return (
    <Dialog title="Session budget" size="small" onClose={onClose}>
      <form className="form" onSubmit={(event) => void save(event)} noValidate>
        <p className="muted">
          Used so far: {moneyOf(costUsd ?? 0, costSource === 'estimated')}
          {usage?.totalTokens ? `, ${tokensOf(usage.totalTokens)} tokens` : ''}. When the budget is used up, the current
          turn finishes and nothing more is sent until you raise it.
        </p>
        {limit?.kind === 'budget' ? <p data-tone="wait">{limit.message}</p> : null}
        <AmountFields
          {...amounts}
          issue={issue}
          onChange={(next) => {
            setAmounts(next);
            setIssue(null);
          }}
        />
        <FormActions label="Set budget" onCancel={onClose}>
          {budget === null ? null : (
            <Button look="quiet" onClick={() => void clear()}>
              Remove budget
            </Button>
          )}
        </FormActions>
      </form>
    </Dialog>
  );
}
