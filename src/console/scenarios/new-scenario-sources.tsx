import { type SubmitEvent, useState } from 'react';
import { parseCurlCommand } from '../../scenario/curl-import.ts';
import { httpMethods, type Method } from '../../scenario/scenario.ts';
import { draftScenario, renderScenario } from '../../scenario/scenario-draft.ts';
import { Field } from '../components/field.tsx';
import { Select } from '../components/select.tsx';
import { TextAreaField } from '../components/text-area-field.tsx';

const sources = [
  ['request', 'From a request'],
  ['curl', 'From a curl command'],
] as const;
type Source = (typeof sources)[number][0];

type NewScenarioSourcesProps = {
  readonly takenIds: ReadonlySet<string>;
  /** Replaces the text of the editor, where Ctrl-Z brings the former text back. */
  readonly onText: (text: string) => void;
};

/** Ways to begin a new scenario. Nothing is sent to the target. */
export function NewScenarioSources({ takenIds, onText }: NewScenarioSourcesProps) {
  const [source, setSource] = useState<Source>();
  const [notes, setNotes] = useState<readonly string[]>([]);
  const use = (text: string, newNotes: readonly string[]): void => {
    onText(text);
    setNotes(newNotes);
    setSource(undefined);
  };
  return (
    <section className="new-sources" aria-label="Start from">
      <p className="actions">
        {sources.map(([name, label]) => (
          <button
            key={name}
            type="button"
            aria-expanded={source === name}
            onClick={() => setSource(source === name ? undefined : name)}
          >
            {label}
          </button>
        ))}
      </p>
      {source === 'request' ? <RequestSource takenIds={takenIds} onText={use} /> : null}
      {source === 'curl' ? <CurlSource takenIds={takenIds} onText={use} /> : null}
      {notes.length > 0 ? (
        <ul className="import-notes" role="status" aria-label="What was imported">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

type SourceProps = {
  readonly takenIds: ReadonlySet<string>;
  readonly onText: (text: string, notes: readonly string[]) => void;
};

function RequestSource({ takenIds, onText }: SourceProps) {
  const [method, setMethod] = useState<Method>('GET');
  const [path, setPath] = useState('/');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const absolutePath = path.startsWith('/') ? path : `/${path}`;
    onText(renderScenario(draftScenario({ method, path: absolutePath }, takenIds)), []);
  };
  return (
    <form className="new-source" onSubmit={submit}>
      <Select
        label="Method"
        value={method}
        options={httpMethods.map((name) => [name, name] as const)}
        onSelect={setMethod}
      />
      <Field
        label="Path"
        hint="With the API prefix, such as /api/v2/document. Nothing is sent yet."
        required
        spellCheck={false}
        autoComplete="off"
        value={path}
        onChange={({ target }) => setPath(target.value)}
      />
      <p>
        <button type="submit" className="strong">
          Create text
        </button>
      </p>
    </form>
  );
}

function CurlSource({ takenIds, onText }: SourceProps) {
  const [command, setCommand] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const imported = parseCurlCommand(command);
    if ('problem' in imported) {
      setProblem(imported.problem);
      return;
    }
    const { request, origin, variables, notes } = imported;
    onText(renderScenario(draftScenario(request, takenIds)), [
      `The request goes to the target of this environment, not to ${origin}.`,
      ...variables.map((name) => `\${${name}} needs a value: add it to .env and to scenarios.variables in the config.`),
      ...notes,
    ]);
  };
  return (
    <form className="new-source" onSubmit={submit}>
      <TextAreaField
        label="curl command"
        hint={problem ?? 'In the network panel of a browser: “Copy as cURL”. Secrets become placeholders.'}
        rows={[4, 16]}
        required
        aria-invalid={problem !== undefined}
        value={command}
        onTextChange={(text) => {
          setCommand(text);
          setProblem(undefined);
        }}
      />
      <p>
        <button type="submit" className="strong">
          Import
        </button>
      </p>
    </form>
  );
}
