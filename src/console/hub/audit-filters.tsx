import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Choice } from '../parts/choice.tsx';
import { useConnection } from '../session/connection.ts';
import { auditSpans } from './audit-filter.ts';
import { outcomes } from './outcomes.ts';

type Options = readonly (readonly [value: string, text: string])[];

/** What the audit leaves out; every choice stands in the address. */
export function AuditFilters({ hub: { slug, role } }: { hub: Hub }) {
  const { hubs } = useConnection();
  const people = useQuery({
    queryKey: ['hub-members', slug],
    queryFn: ({ signal }) => hubs.members(slug, { signal }),
    enabled: role === 'owner',
  });
  const tokens = useQuery({ queryKey: ['hub-tokens', slug], queryFn: ({ signal }) => hubs.tokens(slug, { signal }) });
  const connections = useQuery({
    queryKey: ['hub-connections', slug],
    queryFn: ({ signal }) => hubs.connections(slug, { signal }),
  });
  return (
    <fieldset className="filters">
      <legend className="unseen">Filter</legend>
      <Filter
        name="outcome"
        any="any outcome"
        options={Object.entries(outcomes).map(([one, [, text]]) => [one, text])}
      />
      {role === 'owner' ? (
        <Filter name="person" any="anybody" options={people.data?.map((one) => [one.person_id, one.name])} />
      ) : null}
      <Filter name="token" any="any token" options={tokens.data?.map((one) => [one.token_id, one.name])} />
      <Filter name="connection" any="any connection" options={connections.data?.map(({ name }) => [name, name])} />
      <Filter name="since" any="any time" options={Object.keys(auditSpans).map((span) => [span, `last ${span}`])} />
      <ToolField />
    </fieldset>
  );
}

/** Also shows what is in the address and no longer in the hub. */
function Filter({ name, any, options = [] }: { name: string; any: string; options?: Options | undefined }) {
  const [search, setSearch] = useSearchParams();
  const value = search.get(name) ?? '';
  const gone: Options = value === '' || options.some(([one]) => one === value) ? [] : [[value, value]];
  const choose = (next: string): void =>
    setSearch((before) => {
      if (next === '') before.delete(name);
      else before.set(name, next);
      return before;
    });
  const label = name.charAt(0).toUpperCase() + name.slice(1);
  return <Choice bare label={label} value={value} options={[['', any], ...options, ...gone]} onChoose={choose} />;
}

function ToolField() {
  const [search, setSearch] = useSearchParams();
  const value = search.get('tool') ?? '';
  return (
    <form
      key={value}
      onSubmit={(event) => {
        event.preventDefault();
        const tool = new FormData(event.currentTarget).get('tool');
        setSearch((before) => {
          if (typeof tool === 'string' && tool.trim() !== '') before.set('tool', tool.trim());
          else before.delete('tool');
          return before;
        });
      }}
    >
      <input
        className="tool-field"
        name="tool"
        aria-label="Tool"
        data-search
        placeholder="tool ⏎"
        defaultValue={value}
        spellCheck={false}
      />
    </form>
  );
}
