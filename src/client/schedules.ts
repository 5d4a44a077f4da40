import type {
  CreateScheduleRequest,
  CreateScheduleResponse,
  ImportSchedulesRequest,
  ImportSchedulesResponse,
  PreviewScheduleResponse,
  Schedule,
  ScheduleDefinition,
  ScheduleDocument,
} from '../contract/schedules-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type SchedulesClient = {
  list(instance: string, options?: CallOptions): Promise<readonly Schedule[]>;
  get(instance: string, schedule: string, options?: CallOptions): Promise<ScheduleDocument>;
  preview(instance: string, definition: ScheduleDefinition, options?: CallOptions): Promise<PreviewScheduleResponse>;
  create(instance: string, input: CreateScheduleRequest): Promise<CreateScheduleResponse>;
  change(instance: string, schedule: string, definition: ScheduleDefinition): Promise<ScheduleDocument>;
  pause(instance: string, schedule: string): Promise<ScheduleDocument>;
  resume(instance: string, schedule: string): Promise<ScheduleDocument>;
  remove(instance: string, schedule: string): Promise<void>;
  import(instance: string, input: ImportSchedulesRequest): Promise<ImportSchedulesResponse>;
};

export function createSchedulesClient({ json, noContent }: Transport): SchedulesClient {
  const isDocument = createObjectGuard<ScheduleDocument>('schedule_id', 'next', 'ticks');
  const path = (instance: string, ...rest: string[]) => apiPath('instances', instance, 'schedules', ...rest);
  return {
    async list(instance, options) {
      const call = { method: 'GET', path: path(instance), ...options } as const;
      return (await json(call, createPageTypeGuard<Schedule>())).items;
    },
    get: (instance, schedule, options) =>
      json({ method: 'GET', path: path(instance, schedule), ...options }, isDocument),
    preview: (instance, body, options) =>
      json(
        { method: 'POST', path: path(instance, 'preview'), body, ...options },
        createObjectGuard<PreviewScheduleResponse>('next', 'matching_scenarios'),
      ),
    create: (instance, body) =>
      json({ method: 'POST', path: path(instance), body }, createObjectGuard<CreateScheduleResponse>('schedule')),
    change: (instance, schedule, body) => json({ method: 'PUT', path: path(instance, schedule), body }, isDocument),
    pause: (instance, schedule) => json({ method: 'POST', path: path(instance, schedule, 'pause') }, isDocument),
    resume: (instance, schedule) => json({ method: 'POST', path: path(instance, schedule, 'resume') }, isDocument),
    remove: (instance, schedule) => noContent({ method: 'DELETE', path: path(instance, schedule) }),
    import: (instance, body) =>
      json(
        { method: 'POST', path: path(instance, 'import'), body },
        createObjectGuard<ImportSchedulesResponse>('schedules'),
      ),
  };
}
