import { useQuery } from '@tanstack/react-query';
import { formatFieldPath } from '../../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json } from '../../check/json/json.ts';
import { readJson } from '../../check/json/read-json.ts';
import { useClient } from '../session/client.ts';

const maxFields = 200;
/** Elements of a list are alike: the first one stands for them. */
const maxDepth = 6;

/** The fields of a JSON body as checks name them; none for another body. */
export function listFields(bodyText: string): readonly string[] {
  let body: Json;
  try {
    body = readJson(bodyText);
  } catch {
    return [];
  }
  const fields: string[] = [];
  const visit = (value: Json, steps: readonly string[], isIndex: readonly boolean[]): void => {
    if (fields.length >= maxFields || steps.length > maxDepth) return;
    const field = steps.length === 0 ? undefined : formatFieldPath(body, steps, isIndex);
    if (field !== undefined) fields.push(field);
    if (isList(value)) {
      if (value[0] !== undefined) visit(value[0], [...steps, '0'], [...isIndex, true]);
    } else if (isObjectValue(value))
      for (const [key, child] of Object.entries(value)) visit(child, [...steps, key], [...isIndex, false]);
  };
  visit(body, [], []);
  return fields;
}

/** The response fields of the last finished run, for completion. No request is sent to the target. */
export function useResponseFields(instance: string, scenario: string | undefined): readonly string[] {
  const { runs } = useClient();
  const { data = [] } = useQuery({
    queryKey: ['response-fields', instance, scenario],
    enabled: scenario !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { items } = await runs.list({ instance, scenario, states: ['passed', 'failed'], limit: 1 }, { signal });
      const report = items[0] ? (await runs.get(items[0].run_id, { signal })).report : null;
      return listFields(report?.exchange.response?.body.text ?? '');
    },
  });
  return data;
}
