import { setPreferences, usePreferences } from '../../shell/preferences.ts';

/** What this browser remembers; what the daemon does is set in its own sections. */
export function SettingsPage() {
  const { theme, density } = usePreferences();
  return (
    <div className="page">
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <div className="settings">
        <section aria-label="Looks">
          <h2>Looks</h2>
          <p className="muted">Kept in this browser.</p>
          <Choice
            label="Theme"
            value={theme}
            choices={[
              ['system', 'As the system'],
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
            onChange={(value) => setPreferences({ theme: value })}
          />
          <Choice
            label="Density"
            value={density}
            choices={[
              ['dense', 'Dense'],
              ['roomy', 'Roomy'],
            ]}
            onChange={(value) => setPreferences({ density: value })}
          />
        </section>
      </div>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [Value, string])[];
  onChange(value: Value): void;
}

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      <div className="segments">
        {choices.map(([each, word]) => (
          <label key={each} data-on={each === value}>
            <input type="radio" name={label} checked={each === value} onChange={() => onChange(each)} />
            {word}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
