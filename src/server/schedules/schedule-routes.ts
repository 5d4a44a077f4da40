import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  CreateScheduleRequest,
  CreateScheduleResponse,
  ImportSchedulesRequest,
  ImportSchedulesResponse,
  PreviewScheduleResponse,
  Schedule,
  ScheduleDefinition,
  ScheduleDocument,
} from '../../contract/schedules-api.ts';
import { closedSchema, InstancePath, PathName } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

const schedulesPath = '/api/v1/instances/{instance}/schedules';
const SchedulePath = Type.Object({ instance: PathName, schedule: PathName });

export const scheduleRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: schedulesPath,
    operation: 'listSchedules',
    summary: 'What runs by itself, with the next five times and what became of the last one',
    action: 'run.read',
    params: InstancePath,
    response: pageSchema(Schedule),
    handler: async ({ services: { control }, params }) => toSinglePage(await control.schedules.list(params.instance)),
  }),
  route({
    method: 'POST',
    path: schedulesPath,
    operation: 'createSchedule',
    summary: 'Create a schedule; the secret of a webhook is in this response only',
    action: 'schedule.change',
    params: InstancePath,
    body: CreateScheduleRequest,
    response: CreateScheduleResponse,
    status: 201,
    handler: ({ services: { control }, params, body, caller }) =>
      control.schedules.create(params.instance, body, toActor(caller)),
  }),
  route({
    method: 'POST',
    path: `${schedulesPath}/preview`,
    operation: 'previewSchedule',
    summary: 'Check a definition; when it would be due next, and how many scenarios it selects',
    action: 'run.read',
    params: InstancePath,
    body: ScheduleDefinition,
    response: PreviewScheduleResponse,
    handler: ({ services: { control }, params, body }) => control.schedules.preview(params.instance, body),
  }),
  route({
    method: 'POST',
    path: `${schedulesPath}/import`,
    operation: 'importSchedules',
    summary: 'Make the schedules of files those of a schedules.yaml; schedules that people created stay',
    action: 'schedule.change',
    params: InstancePath,
    body: closedSchema(ImportSchedulesRequest),
    bodyLimitBytes: 524_288,
    response: ImportSchedulesResponse,
    handler: ({ services: { control }, params, body, caller }) =>
      control.schedules.import(params.instance, body.schedules, toActor(caller)),
  }),
  route({
    method: 'GET',
    path: `${schedulesPath}/{schedule}`,
    operation: 'getSchedule',
    summary: 'A schedule with its newest fifty ticks',
    action: 'run.read',
    params: SchedulePath,
    response: ScheduleDocument,
    handler: ({ services: { control }, params }) => control.schedules.get(params.instance, params.schedule),
  }),
  route({
    method: 'PUT',
    path: `${schedulesPath}/{schedule}`,
    operation: 'changeSchedule',
    summary: 'Replace the definition of a schedule that a person created',
    action: 'schedule.change',
    params: SchedulePath,
    body: ScheduleDefinition,
    response: ScheduleDocument,
    handler: ({ services: { control }, params, body, caller }) =>
      control.schedules.change(params.instance, params.schedule, body, toActor(caller)),
  }),
  route({
    method: 'POST',
    path: `${schedulesPath}/{schedule}/pause`,
    operation: 'pauseSchedule',
    summary: 'Request nothing until it is resumed; ticks in between are not made up for',
    action: 'schedule.change',
    params: SchedulePath,
    response: ScheduleDocument,
    handler: ({ services: { control }, params, caller }) =>
      control.schedules.setPaused(params.instance, params.schedule, true, toActor(caller)),
  }),
  route({
    method: 'POST',
    path: `${schedulesPath}/{schedule}/resume`,
    operation: 'resumeSchedule',
    summary: 'Go on with the next tick',
    action: 'schedule.change',
    params: SchedulePath,
    response: ScheduleDocument,
    handler: ({ services: { control }, params, caller }) =>
      control.schedules.setPaused(params.instance, params.schedule, false, toActor(caller)),
  }),
  route({
    method: 'DELETE',
    path: `${schedulesPath}/{schedule}`,
    operation: 'removeSchedule',
    summary: 'Remove a schedule that a person created, with its ticks; its runs stay',
    action: 'schedule.change',
    params: SchedulePath,
    handler: ({ services: { control }, params }) => control.schedules.remove(params.instance, params.schedule),
  }),
];
