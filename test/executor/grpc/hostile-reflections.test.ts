/** Schemas by the reflection of gRPC of targets that break their protocols. */
import { testHostileStreams } from '../streams/hostile-streams.ts';

testHostileStreams('reflections', 19);
