import type { PolicyVerdict } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Age, Button } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { allowsAll, isKind, KINDS, rememberedWords, ruleOf, ruleWords } from './settings.logic.ts';
import { useOrder } from './use-order.ts';

const MOST = 200;

/** What decides before a person is asked. */
export function PolicySection() {
  const policy = useAnswer({
    queryKey: ['policy'],
    queryFn: ({ signal }) => call('getPolicy', {}, signal),
    staleTime: 0,
  });
  const order = useOrder('policy');
  if (policy.error) return <Fault error={policy.error} />;
  if (!policy.data) return <p className="loading">Loading…</p>;
  const { rules, faults, remembered, suspended } = policy.data;
  return (
    <>
      <section aria-labelledby="rules">
        <h2 id="rules">Rules</h2>
        <p className="muted">
          They decide before you are asked; the first that fits counts. What none is about waits for you. Rules of a
          project count in its sessions alone, and only where it is trusted.
        </p>
        {suspended === null ? null : <Fault error={new Error(`Nothing is allowed by a rule: ${suspended}`)} />}
        {faults.map(({ file, line, field, problem }) => (
          <Fault key={`${file}${line}${field}`} error={new Error(`${file}:${line}: ${field} ${problem}`)} />
        ))}
        {rules.length === 0 ? <p>There is no rule: agents ask you.</p> : null}
        <ul className="entries">
          {rules.map((rule) => (
            <li key={`${rule.file} ${rule.name}`} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {rule.decision} {ruleWords(rule)}
                </span>
                <span className="muted">
                  {rule.name} · {rule.file}:{rule.line}
                  {rule.faulty ? ' · it has a fault, and asks' : ''}
                </span>
              </div>
              {rule.source === 'user' ? (
                <Button
                  aria-label={`Remove the rule ${rule.name}`}
                  onClick={() =>
                    void order(
                      () => call('removeRule', { params: { name: rule.name } }),
                      `The rule ${rule.name} is gone`,
                    )
                  }
                >
                  Remove
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
        <NewRule />
        <Trial />
      </section>
      <section aria-labelledby="remembered">
        <h2 id="remembered">
          Remembered answers <span className="count">{remembered.length}</span>
        </h2>
        {remembered.length === 0 ? (
          <p className="muted">None. An answer is remembered when you say so while you give it.</p>
        ) : null}
        <ul className="entries">
          {remembered.slice(0, MOST).map((answer) => (
            <li key={answer.id} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {answer.decision} {rememberedWords(answer)}
                </span>
                <span className="muted">
                  by {answer.by}, <Age time={answer.at} />
                </span>
              </div>
              <Button
                onClick={() =>
                  void order(() => call('forgetRemembered', { params: { id: answer.id } }), 'It is forgotten')
                }
              >
                Forget
              </Button>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

const DECISIONS = ['allow', 'ask', 'deny'] as const;

function NewRule() {
  const order = useOrder('policy');
  const [decision, setDecision] = useState<(typeof DECISIONS)[number]>('ask');
  const [kind, setKind] = useState('execute');
  const [pattern, setPattern] = useState('');
  const [agent, setAgent] = useState('');
  const [folder, setFolder] = useState('');
  const rule = ruleOf({ decision, kind, pattern, agent, folder });
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await order(() => call('addRule', { body: rule }), 'The rule counts from now on')) setPattern('');
  };
  return (
    <details>
      <summary>Add a rule</summary>
      <form className="inline-form" onSubmit={(event) => void add(event)}>
        <label className="field">
          <span>Decision</span>
          <select
            className="input"
            value={decision}
            onChange={({ target }) => setDecision(DECISIONS.find((each) => each === target.value) ?? 'ask')}
          >
            {DECISIONS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <KindField value={kind} onChange={setKind} withAny />
        <AgentField value={agent} onChange={setAgent} withAny />
        <Field label="Like (* is anything)" value={pattern} onChange={setPattern} placeholder="npm test *" />
        <Field label="In the folder" value={folder} onChange={setFolder} placeholder="everywhere" />
        <Button look="next" type="submit">
          Add the rule
        </Button>
        {allowsAll(rule) ? (
          <p className="wide" data-tone="wait" role="alert">
            This lets every agent run every command without asking. Say what it is like, or where.
          </p>
        ) : null}
      </form>
    </details>
  );
}

/** What would happen with a request; nothing is done. */
function Trial() {
  const agents = useAgents();
  const [agent, setAgent] = useState('');
  const [kind, setKind] = useState('execute');
  const [asked, setAsked] = useState('');
  const [cwd, setCwd] = useState('');
  const [verdict, setVerdict] = useState<PolicyVerdict>();
  const tryIt = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const body = {
        agent: agent === '' ? (agents.data?.[0]?.agent ?? 'demo') : agent,
        kind: isKind(kind) ? kind : 'other',
        asked,
        ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
      };
      setVerdict(await call('testPolicy', { body }));
    } catch (error) {
      setVerdict(undefined);
      tellFault(error);
    }
  };
  return (
    <details>
      <summary>Try a request against the rules</summary>
      <form className="inline-form" onSubmit={(event) => void tryIt(event)}>
        <AgentField value={agent} onChange={setAgent} />
        <KindField value={kind} onChange={setKind} />
        <Field label="Command, path or address" value={asked} onChange={setAsked} placeholder="rm -rf build" />
        <Field label="In the folder" value={cwd} onChange={setCwd} placeholder="anywhere" />
        <Button type="submit">What would happen?</Button>
      </form>
      <div role="status">
        {verdict ? (
          <p className="verdict">
            <b>{verdict.decision}</b>: {verdict.reason}
          </p>
        ) : null}
      </div>
    </details>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder: string;
}

function Field({ label, value, onChange, placeholder }: FieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        className="input mono"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

interface ChoiceProps {
  value: string;
  onChange(value: string): void;
  withAny?: boolean;
}

function KindField({ value, onChange, withAny = false }: ChoiceProps) {
  return (
    <label className="field">
      <span>What</span>
      <select className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        {withAny ? <option value="">anything</option> : null}
        {KINDS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

function AgentField({ value, onChange, withAny = false }: ChoiceProps) {
  const agents = useAgents();
  return (
    <label className="field">
      <span>Agent</span>
      <select className="input" value={value} onChange={({ target }) => onChange(target.value)}>
        {withAny ? <option value="">every agent</option> : null}
        {(agents.data ?? []).map(({ agent, displayName }) => (
          <option key={agent} value={agent}>
            {displayName}
          </option>
        ))}
      </select>
    </label>
  );
}
