/** What the form of a channel holds, and the request that it makes. */
import { type ChannelKind, type NotificationEvent, notificationEvents } from '../../../contract/notification-names.ts';
import type {
  ChangeChannelRequest,
  ChannelRouting,
  CreateChannelRequest,
  NotificationChannel,
} from '../../../contract/notifications-api.ts';

export type ChannelDraft = {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly url: string;
  readonly server: string;
  readonly port: string;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly to: string;
  readonly events: readonly NotificationEvent[];
  readonly instances: string;
  readonly tags: string;
  readonly owners: string;
  readonly digest: string;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly timeZone: string;
};

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** One on a line: names of owners have spaces and commas. */
function splitNames(text: string): string[] {
  return text.split('\n').flatMap((name) => name.trim() || []);
}

export function createChannelDraft(channel: NotificationChannel | undefined): ChannelDraft {
  const {
    events,
    instances = [],
    tags = [],
    owners = [],
    digest_minutes: digest,
    quiet_hours: quiet,
  } = channel?.routing ?? {};
  return {
    ...{ id: channel?.channel ?? '', kind: channel?.kind ?? 'slack', url: '' },
    ...{ server: '', port: '587', security: 'starttls', user: '', password: '', from: '', to: '' },
    ...{ events: events ?? notificationEvents, instances: instances.join(' '), tags: tags.join(' ') },
    owners: owners.join('\n'),
    ...{ digest: digest === undefined ? '' : String(digest), quietFrom: quiet?.from ?? '', quietTo: quiet?.to ?? '' },
    timeZone: quiet?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function toRouting(draft: ChannelDraft): ChannelRouting {
  const instances = splitList(draft.instances);
  const tags = splitList(draft.tags);
  const owners = splitNames(draft.owners);
  const { quietFrom: from, quietTo: to, timeZone } = draft;
  return {
    ...(draft.events.length === notificationEvents.length ? {} : { events: [...draft.events] }),
    ...(instances.length === 0 ? {} : { instances }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(owners.length === 0 ? {} : { owners }),
    ...(draft.digest === '' ? {} : { digest_minutes: Number(draft.digest) }),
    ...(from === '' || to === '' ? {} : { quiet_hours: { from, to, time_zone: timeZone.trim() } }),
  };
}

/** Nothing where the form names no target: it stays as it is. */
function toTarget(draft: ChannelDraft): Pick<ChangeChannelRequest, 'url' | 'email'> {
  const { kind, server, port, security, user, password, from, to } = draft;
  if (kind !== 'email') return draft.url.trim() === '' ? {} : { url: draft.url.trim() };
  if (server.trim() === '') return {};
  const credential = user.trim() === '' ? {} : { user: user.trim(), password };
  const addresses = { from: from.trim(), to: splitList(to) };
  return { email: { server: server.trim(), port: Number(port), security, ...credential, ...addresses } };
}

export function toChangeRequest(draft: ChannelDraft): ChangeChannelRequest {
  return { ...toTarget(draft), ...toRouting(draft) };
}

export function toCreateRequest(draft: ChannelDraft): CreateChannelRequest {
  return { channel: draft.id.trim(), kind: draft.kind, ...toChangeRequest(draft) };
}
