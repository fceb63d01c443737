import { RememberedIds } from '../src/webhooks/remembered-ids.ts';
import { TaskRoutes } from '../src/webhooks/task-routes.ts';
const N=30000; const routes=new TaskRoutes(); for(let i=0;i<N;i++) routes.register('task_'+i,'generation/'+i);
const known=new RememberedIds(100000); let x=0;
const T:Record<string,number[]>={}; const note=(k:string,t:bigint)=>{(T[k]??=[]).push(Number(process.hrtime.bigint()-t)/N);};
for(let r=0;r<12;r++){
 const ids=Array.from({length:N},(_,i)=>Buffer.from(`msg_${r}_${i}_abcdefghij`).latin1Slice());
 const tids=Array.from({length:N},(_,i)=>JSON.parse(`{"id":"task_${i}"}`).id as string);
 const tidsB=Array.from({length:N},(_,i)=>Buffer.from('task_'+i).latin1Slice());
 let t=process.hrtime.bigint(); for(const id of ids) if(known.has(id)) x++; note('has',t);
 t=process.hrtime.bigint(); for(const id of ids) known.add(id); note('add',t);
 t=process.hrtime.bigint(); for(const id of tids) if(routes.find(id)) x++; note('find json',t);
 t=process.hrtime.bigint(); for(const id of tidsB) if(routes.find(id)) x++; note('find buf',t);
}
for(const k in T){ const v=T[k]!.slice(3).sort((a,b)=>a-b); console.log(k, Math.round(v[v.length>>1]!), Math.round(v[0]!)); }
