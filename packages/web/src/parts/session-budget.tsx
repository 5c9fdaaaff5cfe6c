import type { Session } from '@agent-mux/api/browser';
import { type FormEvent, useState } from 'react';
import { AmountFields } from './amount-fields.tsx';
import { Dialog } from './dialog.tsx';
import { FormActions } from './form-actions.tsx';
import { moneyOf, tokensOf } from './format.logic.ts';
import { amountTexts, readAmounts } from './limit.logic.ts';
import { changeSession } from './orders.ts';
import { Button } from './small.tsx';
import { tell } from './toasts.tsx';

/** What one session may use in all; after that nothing is sent to it. */
export function SessionBudget({ session, onClose }: { session: Session; onClose(): void }) {
  const { id, budget, costUsd, costSource, usage, limit } = session;
  const [amounts, setAmounts] = useState(amountTexts(budget));
  const [fault, setFault] = useState<string | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readAmounts(amounts);
    if (typeof read === 'string') setFault(read);
    else if (await changeSession(id, { budget: read })) {
      tell('The budget counts from now on');
      onClose();
    }
  };
  const clear = async () => {
    if (await changeSession(id, { budget: null })) onClose();
  };
  return (
    <Dialog title="Budget of this session" size="small" onClose={onClose}>
      <form className="form" onSubmit={(event) => void save(event)} noValidate>
        <p className="muted">
          Used so far: {moneyOf(costUsd ?? 0, costSource === 'estimated')}
          {usage?.totalTokens ? `, ${tokensOf(usage.totalTokens)} tokens` : ''}. When the budget is spent, the turn that
          runs is finished, and nothing more is sent until it is raised.
        </p>
        {limit?.kind === 'budget' ? <p data-tone="wait">{limit.message}</p> : null}
        <AmountFields
          {...amounts}
          fault={fault}
          onChange={(next) => {
            setAmounts(next);
            setFault(null);
          }}
        />
        <FormActions word="Set the budget" onCancel={onClose}>
          {budget === null ? null : (
            <Button look="quiet" onClick={() => void clear()}>
              Take it away
            </Button>
          )}
        </FormActions>
      </form>
    </Dialog>
  );
}
