import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { OfferedHubTools } from '../../../contract/hubs/connection-use-api.ts';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { hubPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { HubSteps } from '../hub-steps.tsx';
import { QueryContent } from '../query-content.tsx';
import { describeEffect } from '../tools/tool-definition.ts';
import { ArgumentForm } from './argument-form.tsx';
import { CallResult } from './call-result.tsx';
import { ToolPicker } from './tool-picker.tsx';

/** Calls a tool as the signed-in person. The selected tool is stored in the address bar. */
export function TryToolPage({ hub }: { hub: Hub }) {
  if (hub.role === 'viewer')
    return (
      <EmptyState title="Viewers cannot call tools here">
        <p>Members and owners of the hub can. Ask an owner for another role.</p>
        <Link href={hubPath(hub.slug, 'members')}>Show members</Link>
      </EmptyState>
    );
  return <OfferedTools hub={hub} />;
}

function OfferedTools({ hub }: { hub: Hub }) {
  const { hubConnectionUse } = useClient();
  const query = useQuery({
    queryKey: ['hub-offered', hub.slug],
    queryFn: ({ signal }) => hubConnectionUse.listOfferedTools(hub.slug, { signal }),
    staleTime: 30_000,
  });
  return (
    <>
      <p className="faint">
        Calls from here are real: policies apply, and each call is recorded in the{' '}
        <Link href={hubPath(hub.slug, 'audit')}>audit</Link> in your name, via the console.
      </p>
      <QueryContent query={query}>{(offered) => <ToolSelection hub={hub} offered={offered} />}</QueryContent>
    </>
  );
}

function ToolSelection({ hub, offered: { items, missing } }: { hub: Hub; offered: OfferedHubTools }) {
  const [search, setSearch] = useSearchParams();
  const selectedName = search.get('tool') ?? undefined;
  const tool = items.find(({ name }) => name === selectedName);
  return (
    <>
      {missing.map(({ connection, code, message }) => (
        <p key={connection} className="help">
          <span>
            The tools of <Link href={hubPath(hub.slug, 'connections')}>{connection}</Link> are not available: {message}{' '}
            <code className="faint">{code}</code>
          </span>
        </p>
      ))}
      {items.length === 0 ? (
        <EmptyState title="No tools that you can call">
          <p>Tools come from connections. Tools that are held back or denied by the policy are not listed.</p>
          <HubSteps hub={hub} />
        </EmptyState>
      ) : (
        <div className="try">
          <ToolPicker tools={items} selectedName={selectedName} onChoose={(name) => setSearch({ tool: name })} />
          {tool ? (
            <ToolCall key={tool.name} hub={hub.slug} tool={tool} />
          ) : (
            <p className="faint">
              {selectedName === undefined
                ? 'Choose a tool.'
                : `${selectedName} is not available to you. Choose another tool.`}
            </p>
          )}
        </div>
      )}
    </>
  );
}

function ToolCall({ hub, tool }: { hub: string; tool: OfferedHubTools['items'][number] }) {
  const { hubConnectionUse } = useClient();
  const controllerRef = useRef<AbortController>(undefined);
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (values: Record<string, unknown>) => {
      controllerRef.current = new AbortController();
      return hubConnectionUse.callTool(
        hub,
        { name: tool.name, arguments: values },
        { signal: controllerRef.current.signal },
      );
    },
    gcTime: 0,
  });
  const stop = (): void => {
    controllerRef.current?.abort(new Error('stopped'));
    reset();
  };
  const effect = describeEffect(tool.annotations);
  return (
    <section aria-label={tool.name} className="try-one">
      <header>
        <h2>{tool.title ?? <code>{tool.name}</code>}</h2>
        {tool.title === null ? null : <code className="faint">{tool.name}</code>}{' '}
        {effect === '' ? null : <span className="faint">{effect}</span>}
      </header>
      {tool.description === null ? null : <p className="preserve-lines">{tool.description}</p>}
      <ArgumentForm tool={tool} isPending={isPending} onCall={mutate} onStop={stop} />
      {error && !isPending ? <ErrorNotice error={error} /> : null}
      {data && !isPending ? <CallResult result={data} /> : null}
    </section>
  );
}
