import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { CommandChoice } from './command-choice.tsx';
import { type ConnectionDraft, isUrlKind } from './connection-draft.ts';

export type ConnectionDraftProps = {
  readonly draft: ConnectionDraft;
  readonly onChange: (part: Partial<ConnectionDraft>) => void;
  readonly isNew: boolean;
};

export type ConnectionTargetProps = ConnectionDraftProps & { readonly hub: string };

const connectionKinds = [
  ['http', 'a URL (Streamable HTTP)'],
  ['sse', 'a URL (HTTP with SSE, older)'],
  ['memory', 'the memory of this control plane'],
  ['stdio', 'a command of the operator'],
] as const;

export function ConnectionTarget({ hub, draft: { kind, target }, onChange, isNew }: ConnectionTargetProps) {
  return (
    <>
      {isNew ? (
        <Select
          label="Connect"
          value={kind}
          options={connectionKinds}
          onSelect={(nextKind) =>
            onChange(isUrlKind(nextKind) && isUrlKind(kind) ? { kind: nextKind } : { kind: nextKind, target: '' })
          }
        />
      ) : null}
      {isUrlKind(kind) ? (
        <Field
          label="URL"
          type="url"
          required
          data-first
          placeholder="https://tools.example.com/mcp"
          value={target}
          onChange={(event) => onChange({ target: event.target.value })}
        />
      ) : null}
      {kind === 'stdio' ? (
        <CommandChoice hub={hub} value={target} onChoose={(name) => onChange({ target: name })} />
      ) : null}
      {kind === 'memory' ? (
        <p className="faint">
          The memory of the people and agents in this hub: personal entries, and entries shared by the hub.
        </p>
      ) : null}
    </>
  );
}

/** The name is the prefix of the tools. A probe does not need one. */
export function ConnectionName({
  draft: { name },
  onChange,
  isNew,
  isRequired,
}: ConnectionDraftProps & { readonly isRequired: boolean }) {
  return (
    <Field
      label="Name"
      hint={
        isNew
          ? `Prefix of its tools: ${name || 'name'}__tool`
          : 'Renaming the connection renames its tools. Update policies and clients that refer to them.'
      }
      required={isRequired}
      maxLength={24}
      pattern="[a-z0-9]+(-[a-z0-9]+)*"
      title="lowercase letters and digits, with single hyphens between them"
      spellCheck={false}
      autoComplete="off"
      value={name}
      onChange={(event) => onChange({ name: event.target.value })}
    />
  );
}
