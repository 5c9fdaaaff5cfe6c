import type { BudgetRule, BudgetStatus } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { AmountFields } from '../../components/amount-fields.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { FormActions } from '../../components/form-actions.tsx';
import { moneyOf, tokensOf } from '../../components/format.logic.ts';
import { amountTexts } from '../../components/limit.logic.ts';
import { Button, Countdown } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { CellBar } from '../usage/charts.tsx';
import { budgetText } from '../usage/limits.logic.ts';
import { budgetRuleText, readBudget, statusOf } from './fields.logic.ts';
import { useChangeSettings, useSettings } from './use-settings.ts';

/** Budgets of the configuration and of single sessions. */
export function BudgetsSection() {
  const { data: settings, error } = useSettings();
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  const change = useChangeSettings();
  /** Index of the edited budget; -1: a new one. */
  const [edited, setEdited] = useState<number | null>(null);
  const isShown = settings !== undefined;
  useEffect(() => {
    // Inbox cards link to this section.
    if (isShown && window.location.hash === '#budgets') document.getElementById('budgets')?.scrollIntoView();
  }, [isShown]);
  if (error) return <ErrorMessage error={error} />;
  if (!settings) return null;
  const { budgets } = settings;
  const known = limits.data?.budgets ?? [];
  const save = (at: number, rule: BudgetRule | null) => {
    const next = rule === null ? budgets.toSpliced(at, 1) : at < 0 ? [...budgets, rule] : budgets.with(at, rule);
    return change({ budgets: next }, rule === null ? 'Budget removed' : 'Budget saved');
  };
  const remove = async (at: number) => {
    const refused = await save(at, null);
    if (refused !== null) showErrorToast(new Error(refused));
  };
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <p className="muted">
        When a budget is used up, the current turn finishes and nothing more is sent. To set a budget for one session,
        use its menu.
      </p>
      {budgets.length === 0 ? <p>No budgets.</p> : null}
      <ul className="entries">
        {budgets.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two budgets may be equal.
          <li key={at} className="entry" data-step tabIndex={-1}>
            <Amount rule={rule} status={statusOf(rule, known)} />
            <span className="entry-actions">
              <Button aria-label={`Change the budget: ${budgetRuleText(rule)}`} onClick={() => setEdited(at)}>
                Change
              </Button>
              <Button aria-label={`Remove the budget: ${budgetRuleText(rule)}`} onClick={() => void remove(at)}>
                Remove
              </Button>
            </span>
          </li>
        ))}
        {known
          .filter(({ sessionId }) => sessionId !== null)
          .map((status) => (
            <li key={status.sessionId} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <Link className="entry-title" href={`/sessions/${status.sessionId}`} data-open>
                  Session {status.sessionId?.slice(0, 8)}
                </Link>
                <span className="muted">{budgetText(status).text}</span>
              </div>
              <CellBar share={budgetText(status).share} />
            </li>
          ))}
      </ul>
      <div>
        <Button onClick={() => setEdited(-1)}>
          <Plus />
          Add a budget
        </Button>
      </div>
      {edited === null ? null : (
        <BudgetDialog rule={budgets[edited]} onSave={(rule) => save(edited, rule)} onClose={() => setEdited(null)} />
      )}
    </section>
  );
}

function Amount({ rule, status }: { rule: BudgetRule; status: BudgetStatus | undefined }) {
  const amounts = [
    rule.usd === undefined ? '' : moneyOf(rule.usd),
    rule.tokens === undefined ? '' : `${tokensOf(rule.tokens)} tokens`,
  ];
  return (
    <>
      <div className="entry-main">
        <span className="entry-title">
          {amounts.filter(Boolean).join(' and ')} {budgetRuleText(rule)}{' '}
          {status?.exhausted ? (
            <span className="tag" data-tone="bad">
              used up
            </span>
          ) : null}
        </span>
        {status ? <span className="muted">{budgetText(status).text}</span> : null}
      </div>
      {status ? <CellBar share={budgetText(status).share} /> : null}
      {status?.exhausted && status.resetsAt !== null ? <Countdown until={status.resetsAt} /> : null}
    </>
  );
}

const PER = [
  ['day', 'All sessions, per day'],
  ['session', 'Per session'],
  ['project', 'Per project, in total'],
] as const;

interface BudgetProps {
  /** Undefined for a new budget. */
  rule: BudgetRule | undefined;
  onSave(rule: BudgetRule): Promise<string | null>;
  onClose(): void;
}

function BudgetDialog({ rule, onSave, onClose }: BudgetProps) {
  const agents = useAgents();
  const [per, setPer] = useState<BudgetRule['per']>(rule?.per ?? 'day');
  const [amounts, setAmounts] = useState(amountTexts(rule ?? null));
  const [agent, setAgent] = useState(rule?.agent ?? '');
  const [project, setProject] = useState(rule?.project ?? '');
  const [issue, setIssue] = useState<string | null>(null);
  const names = [...new Set([...(agents.data ?? []).map((each) => each.agent), ...(agent === '' ? [] : [agent])])];
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readBudget({ per, ...amounts, agent, project });
    const refused = typeof read === 'string' ? read : await onSave(read);
    if (refused === null) onClose();
    else setIssue(refused);
  };
  return (
    <Dialog title={rule ? 'Change the budget' : 'Add a budget'} size="small" onClose={onClose}>
      <form className="form" noValidate onSubmit={(event) => void save(event)}>
        <label className="field">
          <span>Scope</span>
          <select
            className="input"
            value={per}
            onChange={({ target }) => setPer(PER.find(([value]) => value === target.value)?.[0] ?? 'day')}
          >
            {PER.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <AmountFields
          {...amounts}
          issue={issue}
          onChange={(next) => {
            setAmounts(next);
            setIssue(null);
          }}
        />
        <label className="field">
          <span>Only for agent</span>
          <select className="input" value={agent} onChange={({ target }) => setAgent(target.value)}>
            <option value="">any</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Only in folder (and subfolders)</span>
          <input
            className="input mono"
            placeholder={per === 'project' ? 'each project separately' : 'everywhere'}
            spellCheck={false}
            value={project}
            onChange={({ target }) => setProject(target.value)}
          />
        </label>
        <FormActions label={rule ? 'Save' : 'Add'} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
