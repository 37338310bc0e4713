"""A small robot that has a little of everything that URDF knows."""

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 1 0.5"/></material>
  <link name="base">
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="blue"/></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.3" iyy="0.1" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.05" length="1"/></geometry></collision>
    <contact><lateral_friction value="0.8"/><inertia_scaling value="3"/></contact>
  </link>
  <link name="tool"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lamp"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="0 -2 0"/>
    <limit lower="0.25" upper="2" effort="50" velocity="4"/>
    <dynamics damping="0.5" friction="0.2"/>
    <safety_controller soft_lower_limit="0" soft_upper_limit="1.8" k_velocity="1"/>
  </joint>
  <joint name="wrist" type="continuous">
    <parent link="upper"/><child link="tool"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
    <dynamics damping="0.1"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="tool"/><child link="lamp"/><origin xyz="0 0.2 0"/></joint>
  <gazebo reference="tool"><mu1>0.3</mu1><kp>1e6</kp><plugin name="x" filename="y.so"/></gazebo>
</robot>
"""
