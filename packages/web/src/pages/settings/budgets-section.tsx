import type { BudgetRule, BudgetStatus } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { AmountFields } from '../../parts/amount-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { FormActions } from '../../parts/form-actions.tsx';
import { moneyOf, tokensOf } from '../../parts/format.logic.ts';
import { amountTexts } from '../../parts/limit.logic.ts';
import { Link } from '../../parts/router.tsx';
import { Button, Countdown } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { CellBar } from '../usage/charts.tsx';
import { budgetText } from '../usage/limits.logic.ts';
import { budgetWords, readBudget, statusOf } from './fields.logic.ts';
import { useChangeSettings, useSettings } from './use-settings.ts';

/** What may be used: of the configuration, and of single sessions. */
export function BudgetsSection() {
  const { data: settings, error } = useSettings();
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  const change = useChangeSettings();
  /** The place of the one that is changed; -1: a new one. */
  const [edited, setEdited] = useState<number | null>(null);
  const isShown = settings !== undefined;
  useEffect(() => {
    // A card of the inbox leads here.
    if (isShown && window.location.hash === '#budgets') document.getElementById('budgets')?.scrollIntoView();
  }, [isShown]);
  if (error) return <Fault error={error} />;
  if (!settings) return null;
  const { budgets } = settings;
  const known = limits.data?.budgets ?? [];
  const save = (at: number, rule: BudgetRule | null) => {
    const next = rule === null ? budgets.toSpliced(at, 1) : at < 0 ? [...budgets, rule] : budgets.with(at, rule);
    return change({ budgets: next }, rule === null ? 'The budget is gone' : 'The budget counts from now on');
  };
  const remove = async (at: number) => {
    const refused = await save(at, null);
    if (refused !== null) tellFault(new Error(refused));
  };
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <p className="muted">
        A budget that is spent pauses: the turn that runs is finished, and then nothing more is sent. One session has
        its own in its menu.
      </p>
      {budgets.length === 0 ? <p>None.</p> : null}
      <ul className="entries">
        {budgets.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same.
          <li key={at} className="entry" data-step tabIndex={-1}>
            <Amount rule={rule} status={statusOf(rule, known)} />
            <span className="entry-actions">
              <Button aria-label={`Change the budget: ${budgetWords(rule)}`} onClick={() => setEdited(at)}>
                Change
              </Button>
              <Button aria-label={`Remove the budget: ${budgetWords(rule)}`} onClick={() => void remove(at)}>
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
                  of the session {status.sessionId?.slice(0, 8)}
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
          {amounts.filter(Boolean).join(' and ')} {budgetWords(rule)}{' '}
          {status?.spent ? (
            <span className="tag" data-tone="bad">
              spent
            </span>
          ) : null}
        </span>
        {status ? <span className="muted">{budgetText(status).text}</span> : null}
      </div>
      {status ? <CellBar share={budgetText(status).share} /> : null}
      {status?.spent && status.liftsAt !== null ? <Countdown until={status.liftsAt} /> : null}
    </>
  );
}

const PER = [
  ['day', 'All sessions in a day'],
  ['session', 'Each session'],
  ['project', 'A project, for ever'],
] as const;

interface BudgetProps {
  /** Undefined: a new one. */
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
  const [fault, setFault] = useState<string | null>(null);
  const names = [...new Set([...(agents.data ?? []).map((each) => each.agent), ...(agent === '' ? [] : [agent])])];
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readBudget({ per, ...amounts, agent, project });
    const refused = typeof read === 'string' ? read : await onSave(read);
    if (refused === null) onClose();
    else setFault(refused);
  };
  return (
    <Dialog title={rule ? 'Change the budget' : 'Add a budget'} size="small" onClose={onClose}>
      <form className="form" noValidate onSubmit={(event) => void save(event)}>
        <label className="field">
          <span>What it is for</span>
          <select
            className="input"
            value={per}
            onChange={({ target }) => setPer(PER.find(([value]) => value === target.value)?.[0] ?? 'day')}
          >
            {PER.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <AmountFields
          {...amounts}
          fault={fault}
          onChange={(next) => {
            setAmounts(next);
            setFault(null);
          }}
        />
        <label className="field">
          <span>Only of the agent</span>
          <select className="input" value={agent} onChange={({ target }) => setAgent(target.value)}>
            <option value="">any</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Only in the folder, and below it</span>
          <input
            className="input mono"
            placeholder={per === 'project' ? 'each project for itself' : 'everywhere'}
            spellCheck={false}
            value={project}
            onChange={({ target }) => setProject(target.value)}
          />
        </label>
        <FormActions word={rule ? 'Save' : 'Add'} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
