import type {
  CreateScheduleRequest,
  CreateScheduleResponse,
  ImportSchedulesResponse,
  PreviewScheduleResponse,
  Schedule,
  ScheduleDefinition,
  ScheduleDocument,
  ScheduleWebhookResponse,
} from '../../contract/schedules-api.ts';
import type { SignedMessage } from '../../secrets/webhook-signature.ts';

/** Who changes a schedule, as `created_by` and `updated_by` show it. */
type ScheduleAuthor = { readonly name: string };

/** Methods throw INSTANCE_UNKNOWN; those of one schedule throw SCHEDULE_UNKNOWN, those with a definition SCHEDULE_INVALID. */
export type SchedulesService = {
  list(instance: string): Promise<Schedule[]>;
  get(instance: string, schedule: string): Promise<ScheduleDocument>;
  preview(instance: string, definition: ScheduleDefinition): Promise<PreviewScheduleResponse>;
  /** Throws SCHEDULE_ID_TAKEN. */
  create(instance: string, input: CreateScheduleRequest, actor: ScheduleAuthor): Promise<CreateScheduleResponse>;
  /** Throws SCHEDULE_FROM_FILE, as does `remove`. */
  change(
    instance: string,
    schedule: string,
    definition: ScheduleDefinition,
    actor: ScheduleAuthor,
  ): Promise<ScheduleDocument>;
  setPaused(instance: string, schedule: string, isPaused: boolean, actor: ScheduleAuthor): Promise<ScheduleDocument>;
  remove(instance: string, schedule: string): Promise<void>;
  /** Makes the schedules of files those of `entries`. Throws SCHEDULE_ID_TAKEN for one that a person created. */
  import(
    instance: string,
    entries: readonly CreateScheduleRequest[],
    actor: ScheduleAuthor,
  ): Promise<ImportSchedulesResponse>;
  /** Throws SCHEDULE_WEBHOOK_REFUSED, SCHEDULE_WEBHOOK_REPEATED, SCHEDULE_NOTHING_REQUESTED. */
  receiveWebhook(instance: string, schedule: string, message: SignedMessage): Promise<ScheduleWebhookResponse>;
};
