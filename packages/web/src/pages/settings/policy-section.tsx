import type { PolicyVerdict } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Age, Button } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { allowsAll, isKind, isNamed, KINDS, nameRule, rememberedText, ruleOf, ruleText } from './settings.logic.ts';
import { useMutation } from './use-mutation.ts';

const MAX_SHOWN = 200;

/** Policy rules and remembered answers, which decide before the user is asked. */
export function PolicySection() {
  const policy = useAnswer({
    queryKey: ['policy'],
    queryFn: ({ signal }) => call('getPolicy', {}, signal),
    staleTime: 0,
  });
  const mutate = useMutation('policy');
  if (policy.error) return <ErrorMessage error={policy.error} />;
  if (!policy.data) return <p className="loading">Loading…</p>;
  const { rules, issues, remembered, suspended } = policy.data;
  return (
    <>
      <section aria-labelledby="rules">
        <h2 id="rules">Rules</h2>
        <p className="muted">
          Rules decide before you are asked; the first match applies. Requests that match no rule ask you. Project rules
          apply only to sessions of that project, and only if it is trusted.
        </p>
        {suspended === null ? null : <ErrorMessage error={new Error(`No rule can allow anything: ${suspended}`)} />}
        {issues.map(({ file, line, field, problem }) => (
          <ErrorMessage key={`${file}${line}${field}`} error={new Error(`${file}:${line}: ${field} ${problem}`)} />
        ))}
        {rules.length === 0 ? <p>No rules: every request asks you.</p> : null}
        <ul className="entries">
          {rules.map((rule) => (
            <li key={`${rule.file} ${rule.name}`} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {rule.decision} {ruleText(rule)}
                </span>
                <span className="muted">
                  {rule.name} · {rule.file}:{rule.line}
                  {rule.invalid ? ' · invalid: always asks' : ''}
                </span>
              </div>
              {rule.source === 'user' && isNamed(rule) ? (
                <Button
                  aria-label={`Remove the rule ${rule.name}`}
                  onClick={() =>
                    void mutate(() => call('removeRule', { params: { name: rule.name } }), `Rule ${rule.name} removed`)
                  }
                >
                  Remove
                </Button>
              ) : (
                <span className="faint">edit the file to remove it</span>
              )}
            </li>
          ))}
        </ul>
        <NewRule taken={rules.map(({ name }) => name)} />
        <TestRequest />
      </section>
      <section aria-labelledby="remembered">
        <h2 id="remembered">
          Remembered answers <span className="count">{remembered.length}</span>
        </h2>
        {remembered.length === 0 ? <p className="muted">None. Choose to remember an answer when you give it.</p> : null}
        <ul className="entries">
          {remembered.slice(0, MAX_SHOWN).map((answer) => (
            <li key={answer.id} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {answer.decision} {rememberedText(answer)}
                </span>
                <span className="muted">
                  by {answer.by}, <Age time={answer.createdAt} />
                </span>
              </div>
              <Button
                onClick={() => void mutate(() => call('forgetRemembered', { params: { id: answer.id } }), 'Removed')}
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

function NewRule({ taken }: { taken: readonly string[] }) {
  const mutate = useMutation('policy');
  const [decision, setDecision] = useState<(typeof DECISIONS)[number]>('ask');
  const [kind, setKind] = useState('execute');
  const [pattern, setPattern] = useState('');
  const [agent, setAgent] = useState('');
  const [folder, setFolder] = useState('');
  const rule = ruleOf({ decision, kind, pattern, agent, folder });
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await mutate(() => call('addRule', { body: { name: nameRule(rule, taken), ...rule } }), 'Rule added'))
      setPattern('');
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
        <Field label="Pattern (* matches anything)" value={pattern} onChange={setPattern} placeholder="npm test *" />
        <Field label="In folder" value={folder} onChange={setFolder} placeholder="everywhere" />
        <Button look="next" type="submit">
          Add rule
        </Button>
        {allowsAll(rule) ? (
          <p className="wide" data-tone="wait" role="alert">
            This lets every agent run every command without asking. Add a pattern or a folder.
          </p>
        ) : null}
      </form>
    </details>
  );
}

/** Evaluates a request against the rules without any effect. */
function TestRequest() {
  const agents = useAgents();
  const [agent, setAgent] = useState('');
  const [kind, setKind] = useState('execute');
  const [resource, setResource] = useState('');
  const [cwd, setCwd] = useState('');
  const [verdict, setVerdict] = useState<PolicyVerdict>();
  const test = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const body = {
        agent: agent === '' ? (agents.data?.[0]?.agent ?? 'demo') : agent,
        kind: isKind(kind) ? kind : 'other',
        resource,
        ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
      };
      setVerdict(await call('testPolicy', { body }));
    } catch (error) {
      setVerdict(undefined);
      showErrorToast(error);
    }
  };
  return (
    <details>
      <summary>Test a request</summary>
      <form className="inline-form" onSubmit={(event) => void test(event)}>
        <AgentField value={agent} onChange={setAgent} />
        <KindField value={kind} onChange={setKind} />
        <Field label="Command, path or URL" value={resource} onChange={setResource} placeholder="rm -rf build" />
        <Field label="In folder" value={cwd} onChange={setCwd} placeholder="anywhere" />
        <Button type="submit">Test request</Button>
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
      <span>Kind</span>
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
