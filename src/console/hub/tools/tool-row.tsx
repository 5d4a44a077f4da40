import { memo, useState } from 'react';
import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { markHiddenCharacters, toVisibleLines } from '../../../json/visible-text.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { ToolAccess } from './tool-access.tsx';
import { DefinitionLines, ToolApproval } from './tool-approval.tsx';
import { describeEffect, readToolDefinition } from './tool-definition.ts';

type ToolRowProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

const kindLabels = { prompt: 'prompt', resource: 'resource', template: 'resource template' } as const;

export const ToolRow = memo(function ToolRow({ hub, tool, mayChange }: ToolRowProps) {
  const name = `${tool.connection}__${tool.tool}`;
  const needsApproval = tool.state === 'held';
  const { description, annotations } = readToolDefinition(tool);
  return (
    <section className="tool-row" aria-label={name}>
      <header>
        <h2>
          <code>{name}</code>
        </h2>
        <span className="faint">{tool.kind === 'tool' ? describeEffect(annotations) : kindLabels[tool.kind]}</span>
        <span className="grow" />
        <span>
          <StatusIcon status={needsApproval ? 'broken' : 'passed'} decorative title={tool.state} />{' '}
          {needsApproval ? 'held back' : 'approved'}
          <span className="faint">
            {tool.approved_by === null || needsApproval ? '' : ` by ${tool.approved_by}`},{' '}
            {needsApproval && tool.changed_at !== null ? 'changed' : 'seen'}{' '}
            <RelativeTime timestamp={(needsApproval ? tool.changed_at : null) ?? tool.seen_at} />
          </span>
        </span>
      </header>
      {description === '' ? null : <p className="one-line faint">{markHiddenCharacters(description)}</p>}
      {tool.listed === false ? (
        <p className="help">
          <span>Its server no longer lists it.</span>
        </p>
      ) : null}
      {tool.flags.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="help">
          <span>{message}</span>
        </p>
      ))}
      {needsApproval ? (
        <ToolApproval hub={hub} tool={tool} mayChange={mayChange} />
      ) : tool.kind !== 'tool' ? null : (
        <ToolAccess hub={hub} name={name} isReadOnly={annotations?.readOnlyHint === true} mayChange={mayChange} />
      )}
      <ToolDefinitionDetails tool={tool} />
    </section>
  );
});

/** Rendered only while it is open; a held tool already shows its definitions whole. */
function ToolDefinitionDetails({ tool: { tool, approved, waiting } }: { tool: HubTool }) {
  const [isOpen, setOpen] = useState(false);
  if (waiting !== null) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="faint">Definition</summary>
      {isOpen ? (
        <DefinitionLines label={`Definition of ${tool}`} lines={toVisibleLines(approved).map((line) => `  ${line}`)} />
      ) : null}
    </details>
  );
}
