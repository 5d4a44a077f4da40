import type { Instance } from '../../src/contract/api.ts';
import type { Hub } from '../../src/contract/hubs/hubs-api.ts';

export function createTestInstance(id: string, overrides: Partial<Instance> = {}): Instance {
  return {
    instance_id: id,
    tier: 'embedded',
    executor_project: `platform-inst-${id}`,
    executor_port: null,
    executor_status: 'REGISTERED',
    executor_version: '0.4.0',
    recommended_version: '0.4.0',
    target: 'http://localhost:3100',
    owner: null,
    created_at: '2026-11-20T14:30:12.000Z',
    last_seen_at: '2026-11-20T14:30:12.000Z',
    running: null,
    queued: 0,
    ...overrides,
  };
}

export function createTestHub(slug: string, name = slug): Hub {
  return {
    hub_id: `hub-${slug}`,
    slug,
    name,
    role: 'owner',
    members: 1,
    connections: 1,
    tool_list: 'all',
    created_at: '2026-11-20T14:30:12.000Z',
    created_by: 'Ana Lopes',
  };
}
