import { type FormEvent, useState } from 'react';
import type { OfferedHubTools } from '../../../contract/hubs/connection-use-api.ts';
import { Tabs } from '../../components/tabs.tsx';
import { TextAreaField } from '../../components/text-area-field.tsx';
import { isDestructiveTool } from '../tools/tool-definition.ts';
import { ArgumentField } from './argument-field.tsx';
import {
  createInitialValues,
  type FieldValues,
  parseArgumentsJson,
  parseFieldValues,
  parseSchemaFields,
  toFieldValues,
} from './schema-fields.ts';

type ArgumentFormProps = {
  readonly tool: OfferedHubTools['items'][number];
  readonly isPending: boolean;
  readonly onCall: (values: Record<string, unknown>) => void;
  readonly onStop: () => void;
};

type View = 'fields' | 'json';
const views = [
  { name: 'fields', label: 'Fields' },
  { name: 'json', label: 'JSON' },
] as const;

/** Arguments can be entered as fields of the input schema or as JSON. */
export function ArgumentForm({ tool, isPending, onCall, onStop }: ArgumentFormProps) {
  const fields = parseSchemaFields(tool.input_schema);
  const [view, setView] = useState<View>(fields.length === 0 ? 'json' : 'fields');
  const [fieldValues, setFieldValues] = useState<FieldValues>(() => createInitialValues(fields));
  const [text, setText] = useState('{}');
  const [problem, setProblem] = useState<string>();
  const parsed = view === 'fields' ? parseFieldValues(fields, fieldValues) : parseArgumentsJson(text);
  const switchView = (next: View): void => {
    if (next === view) return;
    const values = parsed.arguments;
    const restored = values && next === 'fields' ? toFieldValues(fields, values) : undefined;
    const canSwitch = values !== undefined && (next === 'json' || restored !== undefined);
    setProblem(canSwitch ? undefined : (parsed.problem ?? 'Some arguments have no field.'));
    if (!canSwitch) return;
    if (restored) setFieldValues(restored);
    else setText(JSON.stringify(values, undefined, 2));
    setView(next);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setProblem(parsed.problem);
    if (parsed.arguments) onCall(parsed.arguments);
  };
  return (
    <form className="argument-form" onSubmit={submit}>
      <Tabs label="Argument format" tabs={views} selected={view} onSelect={switchView}>
        {view === 'json' ? (
          <TextAreaField label="Arguments" rows={[4, 20]} value={text} onTextChange={setText} />
        ) : (
          <div className="argument-fields">
            {fields.map((field) => (
              <ArgumentField
                key={field.name}
                field={field}
                text={fieldValues[field.name] ?? ''}
                onWrite={(value) => setFieldValues({ ...fieldValues, [field.name]: value })}
              />
            ))}
          </div>
        )}
      </Tabs>
      {isDestructiveTool(tool.annotations) ? (
        <label>
          <input type="checkbox" required /> This tool may destroy data. Call it anyway.
        </label>
      ) : null}
      <p className="actions">
        <button type="submit" className="strong" disabled={isPending}>
          {isPending ? 'Calling…' : 'Call'}
          <span className="visually-hidden"> {tool.name}</span>
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
