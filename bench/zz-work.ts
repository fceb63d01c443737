import { eventBody, signedHeaders, SECRET } from '/work/main/bench/receiver/deliveries.ts';
import { verify } from '/work/main/src/webhooks/signature.ts';
import { parseEvent } from '/work/main/src/webhooks/parse-event.ts';
import { parseSecret } from '/work/main/src/webhooks/secrets.ts';
import { Deliveries } from '/work/main/src/webhooks/deliver.ts';
import { TaskRoutes } from '/work/main/src/webhooks/task-routes.ts';
import { createEventRouting } from '/work/main/src/webhooks/event-routing.ts';
import { OccasionalLog } from '/work/main/src/webhooks/occasional-log.ts';
import { RECEIVER_DEFAULTS } from '/work/main/src/webhooks/receiver-config.ts';
const N=30000; const routes=new TaskRoutes(); for(let i=0;i<N;i++) routes.register('task_'+i,'generation/'+i);
const log={debug(){},info(){},warn(){}}; const sink={signal:()=>Promise.resolve('taken' as const),unclaimed:()=>Promise.resolve(),find:()=>Promise.resolve(new Map()),reachable:()=>Promise.resolve(true)};
const routing=createEventRouting(RECEIVER_DEFAULTS,{sink,routes,log,troubles:new OccasionalLog(log)});
const del=new Deliveries('default',100000,routing); const secrets=[parseSecret(SECRET)];
const bodies=Array.from({length:N},(_,i)=>eventBody('task_'+i)); const o={legacy:'refuse'} as const;
let run=0; const T:Record<string,number[]>={};
const note=(k:string,t:bigint)=>{(T[k]??=[]).push(Number(process.hrtime.bigint()-t)/N);};
for(let r=0;r<12;r++){ run++;
 const raws=bodies.map((b,i)=>['Host','127.0.0.1','Content-Type','application/json','Content-Length','600','User-Agent','media-api',...signedHeaders(`msg_${run}_${i}_abcdefghij`,b,'standard').flat()].map(s=>Buffer.from(s).latin1Slice()));
 const now=Date.now(); const vs:any[]=[]; const es:any[]=[];
 let t=process.hrtime.bigint(); for(let i=0;i<N;i++) vs.push(verify(raws[i]!,bodies[i]!,secrets,now,o)); note('verify',t);
 t=process.hrtime.bigint(); for(let i=0;i<N;i++) es.push(parseEvent(bodies[i]!)); note('parse',t);
 t=process.hrtime.bigint(); let p:any; let n=0; 
 for(let i=0;i<N;i+=64){ const ps=[]; for(let j=i;j<Math.min(N,i+64);j++){ const out=(del as any).deliver({webhookId:vs[j].webhookId,idIsSigned:true,event:es[j],receivedAt:now}, ()=>{n++;}); if(out) ps.push(out.then(()=>{n++;})); } await new Promise(q=>setImmediate(q)); } note('deliver',t);
 if(n!==N) throw new Error(String(n));
}
for(const k in T){ const v=T[k]!.slice(3).sort((a,b)=>a-b); console.log(k, Math.round(v[v.length>>1]!), Math.round(v[0]!)); }
