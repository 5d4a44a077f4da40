import { type FormEvent, useState } from 'react';
import type { HubToolsOffered } from '../../../contract/hub-connect-api.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { WrittenField } from '../../parts/written-field.tsx';
import { mayDestroy } from '../tool-effect.ts';
import { ArgumentField } from './argument-field.tsx';
import { argumentsOf, fieldsOf, readArguments, startOf, type Written, writtenOf } from './schema-fields.ts';

type FormProps = {
  readonly tool: HubToolsOffered['items'][number];
  readonly isPending: boolean;
  readonly onCall: (values: Record<string, unknown>) => void;
  readonly onStop: () => void;
};

type View = 'fields' | 'json';
const views = [
  { name: 'fields', label: 'Fields' },
  { name: 'json', label: 'JSON' },
] as const;

/** The arguments of a call, as fields of the tool's input schema or as JSON, and the button that calls. */
export function ArgumentForm({ tool, isPending, onCall, onStop }: FormProps) {
  const fields = fieldsOf(tool.input_schema);
  const [view, setView] = useState<View>(fields.length === 0 ? 'json' : 'fields');
  const [written, setWritten] = useState<Written>(() => startOf(fields));
  const [text, setText] = useState('{}');
  const [problem, setProblem] = useState<string>();
  const read = view === 'fields' ? argumentsOf(fields, written) : readArguments(text);
  const show = (next: View): void => {
    if (next === view) return;
    const values = read.arguments;
    const back = values && next === 'fields' ? writtenOf(fields, values) : undefined;
    const isShown = values !== undefined && (next === 'json' || back !== undefined);
    setProblem(isShown ? undefined : (read.problem ?? 'Some of it has no field.'));
    if (!isShown) return;
    if (back) setWritten(back);
    else setText(JSON.stringify(values, undefined, 2));
    setView(next);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(read.problem);
    if (read.arguments) onCall(read.arguments);
  };
  return (
    <form className="argument-form" onSubmit={submit}>
      <Tabs label="How arguments are written" tabs={views} chosen={view} onChoose={show}>
        {view === 'json' ? (
          <WrittenField label="Arguments" rows={[4, 20]} value={text} onWrite={setText} />
        ) : (
          <div className="argument-fields">
            {fields.map((field) => (
              <ArgumentField
                key={field.name}
                field={field}
                text={written[field.name] ?? ''}
                onWrite={(one) => setWritten({ ...written, [field.name]: one })}
              />
            ))}
          </div>
        )}
      </Tabs>
      {mayDestroy(tool.annotations) ? (
        <label>
          <input type="checkbox" required /> Its server says that it may destroy something. I mean it.
        </label>
      ) : null}
      <p className="actions">
        <button type="submit" className="strong" disabled={isPending}>
          {isPending ? 'Calling…' : 'Call'}
          <span className="unseen"> {tool.name}</span>
        </button>
        {isPending ? (
          <button type="button" onClick={onStop}>
            Stop waiting
          </button>
        ) : null}
        {problem === undefined ? null : (
          <span className="soon" role="alert">
            {problem}
          </span>
        )}
      </p>
    </form>
  );
}
