import { memo, useState } from 'react';
import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { ToolAccess } from './tool-access.tsx';
import { ToolApproval } from './tool-approval.tsx';
import { describeEffect, readToolDefinition } from './tool-definition.ts';

type ToolRowProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

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
        <span className="faint">{describeEffect(annotations)}</span>
        <span className="grow" />
        <span>
          <StatusIcon status={needsApproval ? 'broken' : 'passed'} decorative title={tool.state} />{' '}
          {needsApproval ? 'held back' : 'approved'}
          <span className="faint">
            {tool.approved_by === null || needsApproval ? '' : ` by ${tool.approved_by}`},{' '}
            {needsApproval ? 'changed' : 'seen'}{' '}
            <RelativeTime timestamp={(needsApproval ? tool.changed_at : null) ?? tool.seen_at} />
          </span>
        </span>
      </header>
      {description === '' ? null : <p className="one-line faint">{description}</p>}
      {tool.flags.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="help">
          <span>{message}</span>
        </p>
      ))}
      {needsApproval ? (
        <ToolApproval hub={hub} tool={tool} mayChange={mayChange} />
      ) : (
        <ToolAccess hub={hub} name={name} isReadOnly={annotations?.readOnlyHint === true} mayChange={mayChange} />
      )}
      <ToolDefinitionDetails tool={tool} />
    </section>
  );
});

/** Rendered only while it is open. */
function ToolDefinitionDetails({ tool: { approved, waiting } }: { tool: HubTool }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="faint">{approved === null ? 'Definition' : 'Approved definition'}</summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        <pre className="definition" tabIndex={0}>
          {JSON.stringify(approved ?? waiting, undefined, 2)}
        </pre>
      ) : null}
    </details>
  );
}
