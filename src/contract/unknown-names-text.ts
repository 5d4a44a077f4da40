import type { NotificationChannel } from './notifications-api.ts';

/**
 * `no instance shpo, and no scenario with the tag smok`: the names in the routing of a channel that nothing has; nothing is sent because of
 * them. Empty if all are known.
 */
export function formatUnknownNames(
  {
    unknown_instances: instances,
    unknown_tags: tags,
    unknown_owners: owners,
  }: Pick<NotificationChannel, 'unknown_instances' | 'unknown_tags' | 'unknown_owners'>,
  instanceNoun: 'instance' | 'environment' = 'instance',
): string {
  return [
    ...(instances.length === 0 ? [] : [`no ${instanceNoun} ${instances.join(' or ')}`]),
    ...(tags.length === 0 ? [] : [`no scenario with the tag ${tags.join(' or ')}`]),
    ...(owners.length === 0 ? [] : [`no scenario with the owner ${owners.join(' or ')}`]),
  ].join(', and ');
}
